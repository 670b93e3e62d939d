import { Module } from '@nestjs/common';
import { GrpcModule } from '#grpc';
import { HealthModule, HttpModule, PublicUrl } from '#http';
import { AuditController } from './audit/audit.controller.ts';
import { AccessJwtIssuer, SigningKeys, TokenExchange, WorkloadIssuers } from '#auth';
import { Store } from '#store';
import { ExperimentsController } from './experiments/experiments.controller.ts';
import { ExportFilesController, ExportsController } from './exports/index.ts';
import { FileContentController } from './files/file-content.controller.ts';
import { BlobReader, BlobSequencesController, BlobsController, BlobTypes } from './blobs/index.ts';
import { CitationPageController, CitationsController } from './citations/index.ts';
import { dataProvider } from './data-provider/index.ts';
import { DeletionsController } from './deletions/deletions.controller.ts';
import { WorkspaceController } from './deletions/workspace.controller.ts';
import { EventsController } from './frontier/events.controller.ts';
import { FrontierController } from './frontier/frontier.controller.ts';
import { FrontierWatch } from './frontier/frontier-watch.ts';
import { OpenStreams } from './frontier/open-streams.ts';
import { LogsController } from './logs/logs.controller.ts';
import { McpController } from './mcp/mcp.controller.ts';
import { InvitationsController } from './members/invitations.controller.ts';
import { JoinController } from './members/join.controller.ts';
import { MembersController } from './members/members.controller.ts';
import { MetaController } from './meta/meta.controller.ts';
import { FramedPages } from './page/framed-pages.ts';
import { PagesController } from './page/pages.controller.ts';
import { SignInController } from './page/sign-in.controller.ts';
import { WorkspacePagesController } from './page/workspace-pages.controller.ts';
import { PersonController } from './person/person.controller.ts';
import { WorkspacesController } from './person/workspaces.controller.ts';
import { WorkspacesPageController } from './person/workspaces-page.controller.ts';
import { PicturesController } from './pictures/pictures.controller.ts';
import { PngRenderer } from './pictures/png-renderer.ts';
import { FilesController } from './receipt/files.controller.ts';
import { ReceiptController } from './receipt/receipt.controller.ts';
import { RunsController } from './runs/runs.controller.ts';
import { ReportLinksController, ReportPagesController, ReportsController } from './reports/index.ts';
import { RepairController } from './repair/repair.controller.ts';
import { ScalarsController } from './scalars/scalars.controller.ts';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.ts';
import { SeriesListController } from './series-list/series-list.controller.ts';
import { DeviceController } from './sign-in/device.controller.ts';
import { DevicePageController } from './sign-in/device-page.controller.ts';
import { OidcController } from './sign-in/oidc.controller.ts';
import { SessionsController } from './sign-in/sessions.controller.ts';
import { SignInPageController } from './sign-in/sign-in-page.controller.ts';
import { SavedViewsController } from './saved-views/saved-views.controller.ts';
import { ShareLinksController, SnapshotsController, VisitController } from './sharing/index.ts';
import { TagsController } from './tags/tags.controller.ts';
import { TensorsController } from './tensors/index.ts';
import { JwksController } from './tokens/jwks.controller.ts';
import { OAuthMetadataController } from './tokens/oauth-metadata.controller.ts';
import { TokenController } from './tokens/token.controller.ts';
import { UsageController } from './usage/usage.controller.ts';
import { TokensController } from './tokens/tokens.controller.ts';
import { Web, WebFilesController } from './web/index.ts';

/**
 * REST for everyone, and the pages. `Store`, `BlobStore`, `PublicUrl`, `SignInSettings`,
 * `SigningKeys` and `WorkloadIssuers` come from a global module.
 */
@Module({
  imports: [HttpModule, GrpcModule, HealthModule],
  controllers: [
    ExperimentsController,
    RunsController,
    SeriesListController,
    TagsController,
    ScalarsController,
    TensorsController,
    BlobSequencesController,
    BlobsController,
    FrontierController,
    EventsController,
    ReceiptController,
    FilesController,
    FileContentController,
    LogsController,
    DeletionsController,
    ExportsController,
    ExportFilesController,
    RepairController,
    WorkspaceController,
    TokensController,
    MembersController,
    InvitationsController,
    JoinController,
    PersonController,
    WorkspacesController,
    WorkspacesPageController,
    AuditController,
    TokenController,
    OAuthMetadataController,
    JwksController,
    ServiceAccountsController,
    UsageController,
    SavedViewsController,
    ReportsController,
    ReportLinksController,
    ShareLinksController,
    SnapshotsController,
    CitationsController,
    CitationPageController,
    VisitController,
    MetaController,
    McpController,
    DeviceController,
    // Listed before the links, because `oidc` is not the secret of a link.
    SignInPageController,
    OidcController,
    SignInController,
    SessionsController,
    DevicePageController,
    WebFilesController,
    WorkspacePagesController,
    ReportPagesController,
    PagesController,
    PicturesController,
    ...dataProvider,
  ],
  providers: [
    FrontierWatch,
    OpenStreams,
    BlobReader,
    BlobTypes,
    PngRenderer,
    FramedPages,
    { provide: Web, useFactory: () => Web.load() },
    { provide: TokenExchange, useFactory: tokenExchange, inject: [Store, PublicUrl, SigningKeys, WorkloadIssuers] },
  ],
})
export class ReadModule {}

function tokenExchange(store: Store, publicUrl: PublicUrl, keys: SigningKeys, workloads: WorkloadIssuers): TokenExchange {
  return new TokenExchange(store, new AccessJwtIssuer(publicUrl.base, keys, store.clock), workloads);
}

export { SignInSettings } from './sign-in/sign-in-settings.ts';
