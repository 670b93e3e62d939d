import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { codecOf, GrpcEndpoint, isLoopback } from '#grpc';
import { Public, PublicUrl, readBytes, StreamsBody } from '#http';
import { limits, Problem } from '#model';
import type { ServerInfoRequest } from '#protocols';
import { handshakeResponse, type HandshakePlaces } from './handshake.ts';

const requests = codecOf('tensorboard.service.ServerInfoRequest');
const responses = codecOf('tensorboard.service.ServerInfoResponse');

/**
 * `POST /api/uploader`: the first request of `tensorboard dev`, sent once per command and without
 * credentials. Both bodies are protobuf, even if their headers state another type.
 */
@Controller('/api/uploader')
export class HandshakeController {
  readonly #publicUrl: PublicUrl;
  readonly #endpoint: GrpcEndpoint;

  constructor(publicUrl: PublicUrl, endpoint: GrpcEndpoint) {
    this.#publicUrl = publicUrl;
    this.#endpoint = endpoint;
  }

  @Public()
  @StreamsBody()
  @Post()
  @HttpCode(200)
  async response(@Req() request: Request, @Res() response: Response): Promise<void> {
    const asked = decode(await readBytes(request, limits.maxPublicBodyBytes));
    const result = handshakeResponse(asked, {
      target: this.#targetFor(request.hostname),
      pageOf: (experimentId) => this.#publicUrl.at(`/e/${experimentId}`),
    });
    response.setHeader('Content-Type', 'application/protobuf');
    response.end(responses.encode(result));
  }

  /**
   * A client that does not use a loopback name is on another machine. There, a different program
   * may listen on this port and would receive the token.
   */
  #targetFor(hostname: string): HandshakePlaces['target'] {
    const { target, isLocal } = this.#endpoint;
    if (target === null) return 'off';
    return isLocal && !isLoopback(hostname.replace(/^\[|\]$/g, '')) ? 'elsewhere' : { endpoint: target };
  }
}

function decode(bytes: Buffer): ServerInfoRequest {
  try {
    return requests.decode(bytes);
  } catch (error) {
    throw new Problem('bad-request', 'The body is not a TensorBoard ServerInfoRequest.', { cause: error });
  }
}
