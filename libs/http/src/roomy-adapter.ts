import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';

/** Bytes of a request's first line and headers. Addresses of pages are views: one that names hundreds of runs is longer than Node's own 16 KiB. */
const maxHeaderBytes = 32 * 1024;

/** Nest's adapter for Express, whose server reads longer addresses. */
export class RoomyAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createServer({ maxHeaderSize: maxHeaderBytes }, this.getInstance());
  }
}
