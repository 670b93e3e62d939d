import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';

/**
 * Maximum bytes of a request's first line and headers. Page URLs contain the view; a view with
 * hundreds of run names exceeds Node's default of 16 KiB.
 */
const maxHeaderBytes = 32 * 1024;

/** Nest's adapter for Express, with a server that accepts longer URLs. */
export class RoomyAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createServer({ maxHeaderSize: maxHeaderBytes }, this.getInstance());
  }
}
