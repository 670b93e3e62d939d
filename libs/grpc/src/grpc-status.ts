import { status } from '@grpc/grpc-js';
import type { ProblemCode } from '#model';

/**
 * The gRPC status of each problem code. A code without an entry does not compile. Stock clients
 * retry after UNAVAILABLE and RESOURCE_EXHAUSTED. After any other status, they drop the data that
 * they were sending. So all temporary problems, including internal errors, have one of these two.
 */
export const grpcStatuses: Readonly<Record<ProblemCode, status>> = {
  'bad-request': status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  'not-found': status.NOT_FOUND,
  'method-not-allowed': status.UNIMPLEMENTED,
  'experiment-not-found': status.NOT_FOUND,
  'file-not-found': status.NOT_FOUND,
  'blob-not-found': status.NOT_FOUND,
  'blob-exists': status.ALREADY_EXISTS,
  'deletion-not-found': status.NOT_FOUND,
  'export-not-found': status.NOT_FOUND,
  'export-not-finished': status.FAILED_PRECONDITION,
  'token-not-found': status.NOT_FOUND,
  'member-not-found': status.NOT_FOUND,
  'invitation-not-found': status.NOT_FOUND,
  'workspace-not-found': status.NOT_FOUND,
  'already-a-member': status.ALREADY_EXISTS,
  'last-owner': status.FAILED_PRECONDITION,
  'service-account-not-found': status.NOT_FOUND,
  'workload-not-found': status.NOT_FOUND,
  'invalid-grant': status.INVALID_ARGUMENT,
  'invalid-scope': status.INVALID_ARGUMENT,
  'issuer-unavailable': status.UNAVAILABLE,
  'sign-in-failed': status.INVALID_ARGUMENT,
  'not-invited': status.PERMISSION_DENIED,
  'provider-unavailable': status.UNAVAILABLE,
  'authorization-pending': status.FAILED_PRECONDITION,
  'slow-down': status.RESOURCE_EXHAUSTED,
  'access-denied': status.PERMISSION_DENIED,
  'device-code-expired': status.INVALID_ARGUMENT,
  'share-link-not-found': status.NOT_FOUND,
  'saved-view-not-found': status.NOT_FOUND,
  'report-not-found': status.NOT_FOUND,
  'report-changed': status.ABORTED,
  'citation-not-found': status.NOT_FOUND,
  'experiment-frozen': status.FAILED_PRECONDITION,
  'run-deleted': status.FAILED_PRECONDITION,
  'original-gone': status.NOT_FOUND,
  'stored-bytes-lost': status.DATA_LOSS,
  'unknown-field': status.INVALID_ARGUMENT,
  'invalid-name': status.INVALID_ARGUMENT,
  'name-too-long': status.INVALID_ARGUMENT,
  'invalid-filter': status.INVALID_ARGUMENT,
  'invalid-page-token': status.INVALID_ARGUMENT,
  'idempotency-key-reused': status.FAILED_PRECONDITION,
  'range-conflict': status.FAILED_PRECONDITION,
  'window-exceeded': status.OUT_OF_RANGE,
  'digest-mismatch': status.INVALID_ARGUMENT,
  'digest-missing': status.INVALID_ARGUMENT,
  'unsupported-encoding': status.INVALID_ARGUMENT,
  'corrupt-encoding': status.INVALID_ARGUMENT,
  'body-too-large': status.INVALID_ARGUMENT,
  'body-timeout': status.UNAVAILABLE,
  'body-incomplete': status.UNAVAILABLE,
  'checksum-mismatch': status.FAILED_PRECONDITION,
  'incomplete-file': status.FAILED_PRECONDITION,
  'answer-too-large': status.INVALID_ARGUMENT,
  'not-visible-yet': status.UNAVAILABLE,
  'unsupported-media-type': status.INVALID_ARGUMENT,
  'insufficient-storage': status.RESOURCE_EXHAUSTED,
  'store-unavailable': status.UNAVAILABLE,
  'not-ready': status.UNAVAILABLE,
  'rate-limited': status.RESOURCE_EXHAUSTED,
  'quota-exceeded': status.RESOURCE_EXHAUSTED,
  'workspace-suspended': status.PERMISSION_DENIED,
  'too-much-pending': status.RESOURCE_EXHAUSTED,
  'too-many-uploads': status.RESOURCE_EXHAUSTED,
  'client-too-old': status.FAILED_PRECONDITION,
  'range-not-satisfiable': status.OUT_OF_RANGE,
  internal: status.UNAVAILABLE,
};

/**
 * Exceptions for a service's clients. TensorBoard shows users the text of 400, 403 and 404, and
 * nothing for other statuses. The exporter's client has its own message for an export that took too
 * long.
 */
export const serviceStatuses: Readonly<Record<string, Partial<Record<ProblemCode, status>>>> = {
  'tensorboard.data.TensorBoardDataProvider': { unauthenticated: status.PERMISSION_DENIED },
  'tensorboard.service.TensorBoardExporterService': { 'body-timeout': status.CANCELLED },
};
