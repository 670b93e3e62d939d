import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public, Uncounted } from '#http';
import { Problem } from '#model';
import { Web } from './web.ts';

/**
 * Scripts, style sheets and fonts of the pages: the same for all users, and cacheable forever
 * because their names change with their content.
 */
@Controller('assets')
export class WebFilesController {
  readonly #web: Web;

  constructor(web: Web) {
    this.#web = web;
  }

  @Public()
  @Uncounted()
  @Get(':file')
  read(@Param('file') name: string, @Req() request: Request, @Res() response: Response): void {
    const file = this.#web.files.find(name);
    if (!file) throw new Problem('not-found', 'There is no such file. The page may be older than the service: reload it.');
    const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
    const bytes = (encoding === 'br' && file.br) || (encoding === 'gzip' && file.gzip) || file.plain;
    if (bytes !== file.plain) response.setHeader('Content-Encoding', bytes === file.br ? 'br' : 'gzip');
    response.setHeader('Content-Type', file.type);
    response.setHeader('Content-Length', bytes.length);
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }
}
