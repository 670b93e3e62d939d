import { Controller, Get, Header } from '@nestjs/common';
import { OwnKeys } from '#auth';
import { Public, Uncounted } from '#http';

/** The public keys that verify our own JWTs (RFC 7517, 5). */
@Controller()
export class JwksController {
  readonly #keys: OwnKeys;

  constructor(keys: OwnKeys) {
    this.#keys = keys;
  }

  @Public()
  @Uncounted()
  @Get('.well-known/jwks.json')
  @Header('Content-Type', 'application/jwk-set+json; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=60')
  async jwks(): Promise<string> {
    return JSON.stringify(await this.#keys.jwks());
  }
}
