import { decide } from '#experiments';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { GrpcEndpoint } from '#grpc';
import { Caller, Does, parse, Public, PublicUrl, Uncounted, UploadLimits } from '#http';
import { limits } from '#model';
import { readIdentity, Store } from '#store';
import { serviceVersion } from '#telemetry';
import { openApiDocument } from './openapi.ts';
import { serverQuery } from './server-query.ts';
import { judgeClient } from './verdict.ts';

/** Service metadata: version, limits, API document; and the caller's identity. */
@Controller()
export class MetaController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #uploadLimits: UploadLimits;
  readonly #grpc: GrpcEndpoint;
  #document: string | null = null;

  constructor(store: Store, publicUrl: PublicUrl, uploadLimits: UploadLimits, grpc: GrpcEndpoint) {
    this.#grpc = grpc;
    this.#uploadLimits = uploadLimits;
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  @Public()
  @Uncounted()
  @Get('api/v1/server')
  server(@Query() query: unknown) {
    const { client } = parse(serverQuery, query, 'the query');
    const { target, encrypted } = this.#grpc;
    return {
      name: 'plotline',
      version: serviceVersion(),
      url: this.#publicUrl.base,
      grpc: target === null ? null : { target, tls: encrypted },
      ...judgeClient(client ?? null, serviceVersion()),
    };
  }

  @Public()
  @Uncounted()
  @Get('api/v1/limits')
  limits() {
    return { ...limits, ...this.#uploadLimits.told };
  }

  @Public()
  @Uncounted()
  @Get('api/v1/openapi.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  openapi(): string {
    return (this.#document ??= JSON.stringify(openApiDocument(this.#publicUrl.base)));
  }

  @Does('workspace.read')
  @Get('api/v1/whoami')
  async whoami(@Caller() caller: Caller) {
    const identity = await this.#store.withTenant(caller.tenantId, (scope) => readIdentity(scope, caller.personId), {
      readOnly: true,
    });
    return {
      person: { id: caller.personId, name: identity?.displayName ?? '' },
      workspace: { id: caller.tenantId, name: identity?.workspace ?? '' },
      role: identity?.role ?? 'none',
      via: caller.via,
      scopes: [...caller.scopes],
      may_write: decide(caller, 'experiment.upload') === 'allowed',
    };
  }
}
