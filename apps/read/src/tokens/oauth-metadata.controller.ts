import { Controller, Get, Header } from '@nestjs/common';
import { scopes } from '#auth';
import { Public, PublicUrl, Uncounted } from '#http';
import { grantTypes } from './token.controller.ts';

/**
 * Metadata that tells third-party programs how to sign in (RFC 8414). There is no authorization
 * endpoint and no client registration.
 */
@Controller()
export class OAuthMetadataController {
  readonly #publicUrl: PublicUrl;

  constructor(publicUrl: PublicUrl) {
    this.#publicUrl = publicUrl;
  }

  @Public()
  @Uncounted()
  @Get('.well-known/oauth-authorization-server')
  @Header('Cache-Control', 'public, max-age=3600')
  metadata() {
    return {
      issuer: this.#publicUrl.base,
      device_authorization_endpoint: this.#publicUrl.at('/api/v1/device'), // RFC 8628, 4
      token_endpoint: this.#publicUrl.at('/api/v1/token'),
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint: this.#publicUrl.at('/api/v1/revoke'),
      revocation_endpoint_auth_methods_supported: ['none'],
      jwks_uri: this.#publicUrl.at('/.well-known/jwks.json'),
      scopes_supported: scopes,
      grant_types_supported: grantTypes,
      response_types_supported: [],
    };
  }
}
