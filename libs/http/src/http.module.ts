import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { Authenticator } from '#auth';
import { Store } from '#store';
import { AuthGuard } from './auth.guard.ts';
import { Credentials } from './credentials.ts';
import { Idempotency } from './idempotency.ts';
import { JsonBodyInterceptor } from './json-body.ts';
import { ProblemFilter } from './problem.filter.ts';
import { RouteTable } from './route-table.ts';

/**
 * The edge that all apps share: guard, problems, JSON bodies. Import it in each app's module; `Store` and `PublicUrl` come from a global
 * module of the process.
 */
@Global()
@Module({
  providers: [
    { provide: Authenticator, useFactory: (store: Store) => new Authenticator(store), inject: [Store] },
    Credentials,
    Idempotency,
    RouteTable,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
  ],
  exports: [Authenticator, Credentials, Idempotency],
})
export class HttpModule {}
