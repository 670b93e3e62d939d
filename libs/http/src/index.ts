export { AddressGate } from './address-gate.ts';
export { AuthGuard } from './auth.guard.ts';
export { ClientAddresses, ClientAddressSettings } from './client-addresses.ts';
export { announceClose } from './closing.ts';
export { controllerMethods } from './controller-methods.ts';
export { cookieOf, cookiesOf, setCookie } from './cookies.ts';
export { Credentials, maxReportCookies, reportCookie, sessionCookie, sessionSecretOf, shareCookie } from './credentials.ts';
export {
  Caller,
  Does,
  metadata as policies,
  Page,
  Public,
  Reads,
  RequestsLeft,
  SpeaksOAuth,
  StreamsBody,
  TakesForm,
  Uncounted,
  Visits,
  NamesSeries,
} from './decorators.ts';
export { type FramedPage, mainOf, type PageFrame, sendFramed, usePageFrame } from './framed-page.ts';
export { Health, HealthController, HealthModule } from './health.module.ts';
export { Html, html } from './html.ts';
export { HttpModule } from './http.module.ts';
export { createHttpApp } from './http-app.ts';
export { Idempotency, Idempotent, type IdempotentRequest } from './idempotency.ts';
export { readBytes } from './json-body.ts';
export { ownPath, withNext } from './own-path.ts';
export { sendLargePage, sendPage } from './page.ts';
export { parse } from './parse.ts';
export { ParseExperimentId } from './parse-experiment-id.ts';
export { expectedShare, expectMember } from './expected-share.ts';
export { placeOf } from './place.ts';
export { notSignedIn, Permission, requireStill, seesTheSame } from './permission.ts';
export { httpProblems, problemType } from './problem-status.ts';
export { PublicUrl } from './public-url.ts';
export { FailureLog } from './failure-log.ts';
export { RejectionLog } from './rejection-log.ts';
export { setRateLimit } from './rate-limit.ts';
export {
  begin,
  type Carrier,
  contextOf,
  currentRequestEnded,
  currentRequestId,
  type RequestContext,
  requestIdFrom,
  type Visit,
} from './request-context.ts';
export { type LiveRoute, liveRoutes, publicRoutes } from './routes.ts';
export { sendPieces } from './send-pieces.ts';
export { UploadLimits } from './upload-limits.ts';
export { WorkspaceGate } from './workspace-gate.ts';
export { whileAllowed } from './while-allowed.ts';
