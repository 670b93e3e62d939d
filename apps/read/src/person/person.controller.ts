import { Body, Controller, Delete, Get, HttpCode, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Caller, Does, parse } from '#http';
import { Store } from '#store';
import { erasePerson, exportPerson } from '#workspaces';
import { sendNdjson } from '../ndjson.ts';

export const erasureBody = z.strictObject({
  name: z.string().max(1_000).meta({ description: 'The name of the person, as whoami shows it.' }),
});

/** The person behind the credentials: export and erasure of their data. */
@Controller('api/v1/person')
export class PersonController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('person.export')
  @Get('export')
  async export(@Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await sendNdjson(response, caller, exportPerson(this.#store, caller), 'person.ndjson');
  }

  @Does('person.erase')
  @Delete()
  @HttpCode(204)
  async erase(@Caller() caller: Caller, @Body() body: unknown): Promise<void> {
    await erasePerson(this.#store, caller, parse(erasureBody, body).name);
  }
}
