import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AccessJwtReader, Authenticator, OwnKeys, Visitors } from '#auth';
import { loadConfig } from '#config';
import { Store } from '#store';
import { QuotaDefaults, RequestRates, WorkspaceTerms } from '#workspaces';
import { AddressGate } from './address-gate.ts';
import { AuthGuard } from './auth.guard.ts';
import { ClientAddresses, ClientAddressSettings } from './client-addresses.ts';
import { Credentials } from './credentials.ts';
import { Idempotency } from './idempotency.ts';
import { JsonBodyInterceptor } from './json-body.ts';
import { Permission } from './permission.ts';
import { PublicUrl } from './public-url.ts';
import { ProblemFilter } from './problem.filter.ts';
import { RejectionLog } from './rejection-log.ts';
import { RouteTable } from './route-table.ts';
import { StillOpenInterceptor } from './still-open.ts';
import { WorkspaceGate } from './workspace-gate.ts';

/**
 * Shared parts of all apps: guard, problems, JSON bodies. Import it in each app's module. A global
 * module of the process provides `Store` and `PublicUrl`, and optionally `ClientAddressSettings`,
 * `QuotaDefaults` and `RequestRates`, which have defaults.
 */
@Global()
@Module({
  providers: [
    {
      provide: ClientAddresses,
      useFactory: (settings?: ClientAddressSettings) => new ClientAddresses(settings ?? new ClientAddressSettings(loadConfig({}).server)),
      inject: [{ token: ClientAddressSettings, optional: true }],
    },
    { provide: OwnKeys, useFactory: (store: Store) => new OwnKeys(store), inject: [Store] },
    { provide: Authenticator, useFactory: makeAuthenticator, inject: [Store, PublicUrl, OwnKeys] },
    {
      provide: WorkspaceTerms,
      useFactory: (store: Store, defaults?: QuotaDefaults) => new WorkspaceTerms(store, defaults ?? standardQuotas()),
      inject: [Store, { token: QuotaDefaults, optional: true }],
    },
    {
      provide: WorkspaceGate,
      useFactory: (terms: WorkspaceTerms, rates?: RequestRates) => new WorkspaceGate(terms, rates ?? new RequestRates()),
      inject: [WorkspaceTerms, { token: RequestRates, optional: true }],
    },
    AddressGate,
    { provide: Visitors, useFactory: (store: Store) => new Visitors(store), inject: [Store] },
    Credentials,
    Permission,
    Idempotency,
    RejectionLog,
    RouteTable,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: StillOpenInterceptor },
  ],
  exports: [
    AddressGate,
    Authenticator,
    ClientAddresses,
    Visitors,
    Credentials,
    Idempotency,
    OwnKeys,
    Permission,
    RejectionLog,
    WorkspaceTerms,
    WorkspaceGate,
  ],
})
export class HttpModule {}

function makeAuthenticator(store: Store, publicUrl: PublicUrl, keys: OwnKeys): Authenticator {
  return new Authenticator(store, { jwts: new AccessJwtReader(publicUrl.base, keys, store.clock) });
}

function standardQuotas(): QuotaDefaults {
  const { quota, upload } = loadConfig({});
  return new QuotaDefaults(quota, upload);
}
