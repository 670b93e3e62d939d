import { Module } from '@nestjs/common';
import { HealthModule, HttpModule } from '#http';
import { ExperimentsController } from './experiments/experiments.controller.ts';
import { FileContentController } from './files/file-content.controller.ts';
import { BlobSequencesController, BlobsController, BlobTypes } from './blobs/index.ts';
import { DeletionsController } from './deletions/deletions.controller.ts';
import { WorkspaceController } from './deletions/workspace.controller.ts';
import { EventsController } from './frontier/events.controller.ts';
import { FrontierController } from './frontier/frontier.controller.ts';
import { FrontierWatch } from './frontier/frontier-watch.ts';
import { MetaController } from './meta/meta.controller.ts';
import { PagesController } from './page/pages.controller.ts';
import { SignInController } from './page/sign-in.controller.ts';
import { FilesController } from './receipt/files.controller.ts';
import { ReceiptController } from './receipt/receipt.controller.ts';
import { RunsController } from './runs/runs.controller.ts';
import { ScalarsController } from './scalars/scalars.controller.ts';
import { SeriesListController } from './series-list/series-list.controller.ts';
import { TensorsController } from './tensors/index.ts';

/** REST for everyone, and the pages without scripts. `Store`, `BlobStore` and `PublicUrl` come from a global module of the process. */
@Module({
  imports: [HttpModule, HealthModule],
  controllers: [
    ExperimentsController,
    RunsController,
    SeriesListController,
    ScalarsController,
    TensorsController,
    BlobSequencesController,
    BlobsController,
    FrontierController,
    EventsController,
    ReceiptController,
    FilesController,
    FileContentController,
    DeletionsController,
    WorkspaceController,
    MetaController,
    SignInController,
    PagesController,
  ],
  providers: [FrontierWatch, BlobTypes],
})
export class ReadModule {}
