import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { z } from 'zod';
import { changeSavedView, deleteSavedView, findSavedViews, saveView } from '#experiments';
import { Caller, Does, parse, ParseExperimentId } from '#http';
import { type ExperimentId, limits } from '#model';
import { Store } from '#store';
import { parseView, viewParameters } from '#charts';
import { textUpTo, urlText } from '../query-schemas.ts';
import { toSavedViewJson } from './saved-view-json.ts';

const name = textUpTo(limits.maxExperimentNameCharacters, 1);
const view = urlText(limits.maxSavedViewCharacters).meta({
  description: "The query string of the page's address, without the question mark; see docs/page.md.",
});
const shared = z.boolean().meta({ description: 'Whether all members of the workspace see the view. If false, only you see it.' });
const isDefault = z
  .boolean()
  .meta({ description: 'Whether the page opens with this view. Only for shared views. The view replaces the previous default.' });

export const newViewBody = z.strictObject({ name, view, shared: shared.default(false), default: isDefault.default(false) });
export const changedViewBody = z.strictObject({
  name: name.optional(),
  view: view.optional(),
  shared: shared.optional(),
  default: isDefault.optional(),
});

/** Named views of an experiment's page: list, save, change, delete. Visitors see none. */
@Controller('api/v1')
export class SavedViewsController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('experiment.read')
  @Get('experiments/:experimentId/views')
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId) {
    const views = await this.#store.withTenant(caller.tenantId, (scope) => findSavedViews(scope, caller, experimentId), { readOnly: true });
    return { views: views.map(toSavedViewJson) };
  }

  @Does('experiment.update')
  @Post('experiments/:experimentId/views')
  async save(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Body() body: unknown) {
    const asked = parse(newViewBody, body);
    const request = { name: asked.name, parameters: normalized(asked.view), shared: asked.shared, isDefault: asked.default };
    return toSavedViewJson(await this.#store.withTenant(caller.tenantId, (scope) => saveView(scope, caller, experimentId, request)));
  }

  @Does('experiment.update')
  @Patch('views/:viewId')
  async change(@Caller() caller: Caller, @Param('viewId') viewId: string, @Body() body: unknown) {
    const asked = parse(changedViewBody, body);
    const parameters = asked.view === undefined ? undefined : normalized(asked.view);
    const changes = { name: asked.name, parameters, shared: asked.shared, isDefault: asked.default };
    return toSavedViewJson(await this.#store.withTenant(caller.tenantId, (scope) => changeSavedView(scope, caller, viewId, changes)));
  }

  @Does('experiment.update')
  @Delete('views/:viewId')
  @HttpCode(204)
  async remove(@Caller() caller: Caller, @Param('viewId') viewId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => deleteSavedView(scope, caller, viewId));
  }
}

/**
 * Normalizes a view to the form that the page writes: only known parameters, encoded. The result is
 * safe in any URL or header.
 */
function normalized(text: string): string {
  return viewParameters({ ...parseView(new URLSearchParams(text)), embed: false }).toString();
}
