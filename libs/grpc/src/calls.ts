import type { INestApplicationContext } from '@nestjs/common';
import { type Action, rules } from '#experiments';
import { controllerMethods, policies } from '#http';
import { methods } from './codec.ts';

/** The only methods that need no credentials. */
export const publicCalls: readonly string[] = ['/grpc.health.v1.Health/Check'];

/** One gRPC method of the running service. */
export interface LiveCall {
  /** `/tensorboard.service.TensorBoardWriterService/WriteScalar`. */
  readonly path: string;
  /** `Class.method`. */
  readonly handler: string;
  readonly public: boolean;
  /** The method's action, from the table of permissions. */
  readonly action: Action | null;
}

/** All gRPC methods of all controllers, read from the running application. */
export function liveCalls(app: INestApplicationContext): LiveCall[] {
  const calls: LiveCall[] = [];
  for (const { name, method } of controllerMethods(app)) {
    const patterns: unknown = Reflect.getMetadata('microservices:pattern', method);
    if (!Array.isArray(patterns)) continue;
    const action: unknown = Reflect.getMetadata(policies.action, method);
    for (const path of patterns) {
      calls.push({
        path: String(path),
        handler: name,
        public: Reflect.getMetadata(policies.public, method) === true,
        action: isAction(action) ? action : null,
      });
    }
  }
  return calls;
}

function isAction(value: unknown): value is Action {
  return typeof value === 'string' && Object.hasOwn(rules, value);
}

/**
 * Throws unless exactly the expected methods are public, all others declare an action, and every
 * handler implements one existing method.
 */
export function checkCalls(calls: readonly LiveCall[]): void {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const call of calls) {
    const listed = publicCalls.includes(call.path);
    if (!methods.some(({ path }) => path === call.path))
      faults.push(`${call.handler} answers ${call.path}, which libs/protocols does not have`);
    if (call.public !== listed)
      faults.push(`${call.handler} is ${listed ? 'not ' : ''}public, and ${call.path} is ${listed ? '' : 'not '}in publicCalls`);
    if (!call.public && call.action === null)
      faults.push(`${call.handler} has no action: add @Does with an action of libs/experiments/src/permissions.ts`);
    if (call.public && call.action !== null)
      faults.push(`${call.handler} is public, so its action ${call.action} is never checked: remove @Public or @Does`);
    if (seen.has(call.path)) faults.push(`${call.handler} is never reached: ${call.path} is declared twice`);
    seen.add(call.path);
  }
  if (faults.length > 0) throw new Error(`The gRPC methods are not safe to serve. ${faults.join('; ')}.`);
}
