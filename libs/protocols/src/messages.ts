/** Written from libs/protocols/proto by `npm run generate`: the messages as they are read. Fields that were not sent have their defaults; messages that were not sent are null. */
/** `grpc.health.v1.HealthCheckRequest`. */
export interface HealthCheckRequest {
  readonly service: string;
}

/** `grpc.health.v1.HealthCheckResponse`. */
export interface HealthCheckResponse {
  readonly status: number;
}

/** `tensorboard.data.GetExperimentRequest`. */
export interface GetExperimentRequest {
  readonly experimentId: string;
}

/** `tensorboard.data.GetExperimentResponse`. */
export interface GetExperimentResponse {
  readonly dataLocation: string;
  readonly name: string;
  readonly description: string;
  readonly creationTime: Timestamp | null;
}

/** `tensorboard.data.ListPluginsRequest`. */
export interface ListPluginsRequest {
  readonly experimentId: string;
}

/** `tensorboard.data.Plugin`. */
export interface Plugin {
  readonly name: string;
}

/** `tensorboard.data.ListPluginsResponse`. */
export interface ListPluginsResponse {
  readonly plugins: readonly Plugin[];
}

/** `tensorboard.data.ListRunsRequest`. */
export interface ListRunsRequest {
  readonly experimentId: string;
}

/** `tensorboard.data.Run`. */
export interface Run {
  readonly name: string;
  readonly startTime: number;
}

/** `tensorboard.data.ListRunsResponse`. */
export interface ListRunsResponse {
  readonly runs: readonly Run[];
}

/** `tensorboard.data.PluginFilter`. */
export interface PluginFilter {
  readonly pluginName: string;
}

/** `tensorboard.data.RunFilter`. */
export interface RunFilter {
  readonly names: readonly string[];
}

/** `tensorboard.data.TagFilter`. */
export interface TagFilter {
  readonly names: readonly string[];
}

/** `tensorboard.data.RunTagFilter`. */
export interface RunTagFilter {
  readonly runs: RunFilter | null;
  readonly tags: TagFilter | null;
}

/** `tensorboard.data.Downsample`. */
export interface Downsample {
  readonly numPoints: bigint;
}

/** `tensorboard.data.ListScalarsRequest`. */
export interface ListScalarsRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
}

/** `tensorboard.data.ListScalarsResponse`. */
export interface ListScalarsResponse {
  readonly runs: readonly ListScalarsResponseRunEntry[];
}

/** `tensorboard.data.ListScalarsResponse.RunEntry`. */
export interface ListScalarsResponseRunEntry {
  readonly runName: string;
  readonly tags: readonly ListScalarsResponseTagEntry[];
}

/** `tensorboard.data.ListScalarsResponse.TagEntry`. */
export interface ListScalarsResponseTagEntry {
  readonly tagName: string;
  readonly metadata: ScalarMetadata | null;
}

/** `tensorboard.data.ScalarMetadata`. */
export interface ScalarMetadata {
  readonly maxStep: bigint;
  readonly maxWallTime: number;
  readonly summaryMetadata: Uint8Array;
}

/** `tensorboard.data.ReadScalarsRequest`. */
export interface ReadScalarsRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
  readonly downsample: Downsample | null;
}

/** `tensorboard.data.ReadScalarsResponse`. */
export interface ReadScalarsResponse {
  readonly runs: readonly ReadScalarsResponseRunEntry[];
}

/** `tensorboard.data.ReadScalarsResponse.RunEntry`. */
export interface ReadScalarsResponseRunEntry {
  readonly runName: string;
  readonly tags: readonly ReadScalarsResponseTagEntry[];
}

/** `tensorboard.data.ReadScalarsResponse.TagEntry`. */
export interface ReadScalarsResponseTagEntry {
  readonly tagName: string;
  readonly data: ScalarData | null;
}

/** `tensorboard.data.ScalarData`. */
export interface ScalarData {
  readonly step: readonly bigint[];
  readonly wallTime: readonly number[];
  readonly value: readonly number[];
}

/** `tensorboard.data.ListTensorsRequest`. */
export interface ListTensorsRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
}

/** `tensorboard.data.ListTensorsResponse`. */
export interface ListTensorsResponse {
  readonly runs: readonly ListTensorsResponseRunEntry[];
}

/** `tensorboard.data.ListTensorsResponse.RunEntry`. */
export interface ListTensorsResponseRunEntry {
  readonly runName: string;
  readonly tags: readonly ListTensorsResponseTagEntry[];
}

/** `tensorboard.data.ListTensorsResponse.TagEntry`. */
export interface ListTensorsResponseTagEntry {
  readonly tagName: string;
  readonly metadata: TensorMetadata | null;
}

/** `tensorboard.data.TensorMetadata`. */
export interface TensorMetadata {
  readonly maxStep: bigint;
  readonly maxWallTime: number;
  readonly summaryMetadata: Uint8Array;
}

/** `tensorboard.data.ReadTensorsRequest`. */
export interface ReadTensorsRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
  readonly downsample: Downsample | null;
}

/** `tensorboard.data.ReadTensorsResponse`. */
export interface ReadTensorsResponse {
  readonly runs: readonly ReadTensorsResponseRunEntry[];
}

/** `tensorboard.data.ReadTensorsResponse.RunEntry`. */
export interface ReadTensorsResponseRunEntry {
  readonly runName: string;
  readonly tags: readonly ReadTensorsResponseTagEntry[];
}

/** `tensorboard.data.ReadTensorsResponse.TagEntry`. */
export interface ReadTensorsResponseTagEntry {
  readonly tagName: string;
  readonly data: TensorData | null;
}

/** `tensorboard.data.TensorData`. */
export interface TensorData {
  readonly step: readonly bigint[];
  readonly wallTime: readonly number[];
  readonly value: readonly Uint8Array[];
}

/** `tensorboard.data.ListBlobSequencesRequest`. */
export interface ListBlobSequencesRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
}

/** `tensorboard.data.ListBlobSequencesResponse`. */
export interface ListBlobSequencesResponse {
  readonly runs: readonly ListBlobSequencesResponseRunEntry[];
}

/** `tensorboard.data.ListBlobSequencesResponse.RunEntry`. */
export interface ListBlobSequencesResponseRunEntry {
  readonly runName: string;
  readonly tags: readonly ListBlobSequencesResponseTagEntry[];
}

/** `tensorboard.data.ListBlobSequencesResponse.TagEntry`. */
export interface ListBlobSequencesResponseTagEntry {
  readonly tagName: string;
  readonly metadata: BlobSequenceMetadata | null;
}

/** `tensorboard.data.BlobSequenceMetadata`. */
export interface BlobSequenceMetadata {
  readonly maxStep: bigint;
  readonly maxWallTime: number;
  readonly maxLength: bigint;
  readonly summaryMetadata: Uint8Array;
}

/** `tensorboard.data.ReadBlobSequencesRequest`. */
export interface ReadBlobSequencesRequest {
  readonly experimentId: string;
  readonly pluginFilter: PluginFilter | null;
  readonly runTagFilter: RunTagFilter | null;
  readonly downsample: Downsample | null;
}

/** `tensorboard.data.ReadBlobSequencesResponse`. */
export interface ReadBlobSequencesResponse {
  readonly runs: readonly ReadBlobSequencesResponseRunEntry[];
}

/** `tensorboard.data.ReadBlobSequencesResponse.RunEntry`. */
export interface ReadBlobSequencesResponseRunEntry {
  readonly runName: string;
  readonly tags: readonly ReadBlobSequencesResponseTagEntry[];
}

/** `tensorboard.data.ReadBlobSequencesResponse.TagEntry`. */
export interface ReadBlobSequencesResponseTagEntry {
  readonly tagName: string;
  readonly data: BlobSequenceData | null;
}

/** `tensorboard.data.BlobSequenceData`. */
export interface BlobSequenceData {
  readonly step: readonly bigint[];
  readonly wallTime: readonly number[];
  readonly values: readonly BlobReferenceSequence[];
}

/** `tensorboard.data.BlobReferenceSequence`. */
export interface BlobReferenceSequence {
  readonly blobRefs: readonly BlobReference[];
}

/** `tensorboard.data.BlobReference`. */
export interface BlobReference {
  readonly blobKey: string;
  readonly url: string;
}

/** `tensorboard.data.ReadBlobRequest`. */
export interface ReadBlobRequest {
  readonly blobKey: string;
}

/** `tensorboard.data.ReadBlobResponse`. */
export interface ReadBlobResponse {
  readonly data: Uint8Array;
}

/** `tensorboard.SummaryMetadata`. */
export interface SummaryMetadata {
  readonly pluginData: SummaryMetadataPluginData | null;
  readonly displayName: string;
  readonly summaryDescription: string;
  readonly dataClass: number;
}

/** `tensorboard.SummaryMetadata.PluginData`. */
export interface SummaryMetadataPluginData {
  readonly pluginName: string;
  readonly content: Uint8Array;
}

/** `tensorboard.TensorShapeProto`. */
export interface TensorShapeProto {
  readonly dim: readonly TensorShapeProtoDim[];
  readonly unknownRank: boolean;
}

/** `tensorboard.TensorShapeProto.Dim`. */
export interface TensorShapeProtoDim {
  readonly size: bigint;
  readonly name: string;
}

/** `tensorboard.TensorProto`. */
export interface TensorProto {
  readonly dtype: number;
  readonly tensorShape: TensorShapeProto | null;
  readonly versionNumber: number;
  readonly tensorContent: Uint8Array;
  readonly floatVal: readonly number[];
  readonly doubleVal: readonly number[];
  readonly intVal: readonly number[];
  readonly stringVal: readonly Uint8Array[];
  readonly scomplexVal: readonly number[];
  readonly int64Val: readonly bigint[];
  readonly boolVal: readonly boolean[];
  readonly dcomplexVal: readonly number[];
  readonly halfVal: readonly number[];
  readonly uint32Val: readonly number[];
  readonly uint64Val: readonly bigint[];
}

/** `tensorboard.service.Experiment`. */
export interface Experiment {
  readonly experimentId: string;
  readonly createTime: Timestamp | null;
  readonly updateTime: Timestamp | null;
  readonly numScalars: bigint;
  readonly numRuns: bigint;
  readonly numTags: bigint;
  readonly name: string;
  readonly description: string;
  readonly totalTensorBytes: bigint;
  readonly totalBlobBytes: bigint;
  readonly owner: string;
}

/** `tensorboard.service.ExperimentMask`. */
export interface ExperimentMask {
  readonly createTime: boolean;
  readonly updateTime: boolean;
  readonly numScalars: boolean;
  readonly numRuns: boolean;
  readonly numTags: boolean;
  readonly name: boolean;
  readonly description: boolean;
  readonly totalTensorBytes: boolean;
  readonly totalBlobBytes: boolean;
  readonly owner: boolean;
}

/** `tensorboard.service.ScalarPoint`. */
export interface ScalarPoint {
  readonly step: bigint;
  readonly wallTime: Timestamp | null;
  readonly value: number;
}

/** `tensorboard.service.TensorPoint`. */
export interface TensorPoint {
  readonly step: bigint;
  readonly wallTime: Timestamp | null;
  readonly value: Uint8Array;
}

/** `tensorboard.service.Blob`. */
export interface Blob {
  readonly blobId: string;
  readonly state: number;
}

/** `tensorboard.service.BlobSequenceEntry`. */
export interface BlobSequenceEntry {
  readonly blob: Blob | null;
}

/** `tensorboard.service.BlobSequence`. */
export interface BlobSequence {
  readonly entries: readonly BlobSequenceEntry[];
}

/** `tensorboard.service.StreamExperimentsRequest`. */
export interface StreamExperimentsRequest {
  readonly readTimestamp: Timestamp | null;
  readonly userId: string;
  readonly limit: bigint;
  readonly experimentsMask: ExperimentMask | null;
}

/** `tensorboard.service.StreamExperimentsResponse`. */
export interface StreamExperimentsResponse {
  readonly experimentIds: readonly string[];
  readonly experiments: readonly Experiment[];
}

/** `tensorboard.service.StreamExperimentDataRequest`. */
export interface StreamExperimentDataRequest {
  readonly experimentId: string;
  readonly readTimestamp: Timestamp | null;
}

/** `tensorboard.service.StreamExperimentDataResponse`. */
export interface StreamExperimentDataResponse {
  readonly tagName: string;
  readonly runName: string;
  readonly tagMetadata: Uint8Array;
  readonly points: StreamExperimentDataResponseScalarPoints | null;
  readonly tensors: StreamExperimentDataResponseTensorPoints | null;
  readonly blobSequences: StreamExperimentDataResponseBlobSequencePoints | null;
}

/** `tensorboard.service.StreamExperimentDataResponse.ScalarPoints`. */
export interface StreamExperimentDataResponseScalarPoints {
  readonly steps: readonly bigint[];
  readonly wallTimes: readonly Timestamp[];
  readonly values: readonly number[];
}

/** `tensorboard.service.StreamExperimentDataResponse.TensorPoints`. */
export interface StreamExperimentDataResponseTensorPoints {
  readonly steps: readonly bigint[];
  readonly wallTimes: readonly Timestamp[];
  readonly values: readonly Uint8Array[];
}

/** `tensorboard.service.StreamExperimentDataResponse.BlobSequencePoints`. */
export interface StreamExperimentDataResponseBlobSequencePoints {
  readonly steps: readonly bigint[];
  readonly wallTimes: readonly Timestamp[];
  readonly values: readonly BlobSequence[];
}

/** `tensorboard.service.StreamBlobDataRequest`. */
export interface StreamBlobDataRequest {
  readonly blobId: string;
}

/** `tensorboard.service.StreamBlobDataResponse`. */
export interface StreamBlobDataResponse {
  readonly data: Uint8Array;
  readonly offset: bigint;
  readonly finalChunk: boolean;
  readonly finalCrc32c: number;
}

/** `tensorboard.service.PluginSpecification`. */
export interface PluginSpecification {
  readonly uploadPlugins: readonly string[];
}

/** `tensorboard.service.ServerInfoRequest`. */
export interface ServerInfoRequest {
  readonly version: string;
  readonly pluginSpecification: PluginSpecification | null;
}

/** `tensorboard.service.Compatibility`. */
export interface Compatibility {
  readonly verdict: number;
  readonly details: string;
}

/** `tensorboard.service.ApiServer`. */
export interface ApiServer {
  readonly endpoint: string;
}

/** `tensorboard.service.ExperimentUrlFormat`. */
export interface ExperimentUrlFormat {
  readonly template: string;
  readonly idPlaceholder: string;
}

/** `tensorboard.service.PluginControl`. */
export interface PluginControl {
  readonly allowedPlugins: readonly string[];
}

/** `tensorboard.service.UploadLimits`. */
export interface UploadLimits {
  readonly maxBlobSize: bigint;
  readonly maxTensorPointSize: bigint;
  readonly maxScalarRequestSize: bigint;
  readonly maxTensorRequestSize: bigint;
  readonly maxBlobRequestSize: bigint;
  readonly minScalarRequestInterval: bigint;
  readonly minTensorRequestInterval: bigint;
  readonly minBlobRequestInterval: bigint;
}

/** `tensorboard.service.ServerInfoResponse`. */
export interface ServerInfoResponse {
  readonly compatibility: Compatibility | null;
  readonly apiServer: ApiServer | null;
  readonly urlFormat: ExperimentUrlFormat | null;
  readonly pluginControl: PluginControl | null;
  readonly uploadLimits: UploadLimits | null;
}

/** `tensorboard.service.CreateExperimentRequest`. */
export interface CreateExperimentRequest {
  readonly name: string;
  readonly description: string;
}

/** `tensorboard.service.CreateExperimentResponse`. */
export interface CreateExperimentResponse {
  readonly experimentId: string;
  readonly url: string;
}

/** `tensorboard.service.UpdateExperimentRequest`. */
export interface UpdateExperimentRequest {
  readonly experiment: Experiment | null;
  readonly experimentMask: ExperimentMask | null;
}

/** `tensorboard.service.UpdateExperimentResponse`. */
export interface UpdateExperimentResponse {}

/** `tensorboard.service.DeleteExperimentRequest`. */
export interface DeleteExperimentRequest {
  readonly experimentId: string;
}

/** `tensorboard.service.DeleteExperimentResponse`. */
export interface DeleteExperimentResponse {}

/** `tensorboard.service.PurgeDataRequest`. */
export interface PurgeDataRequest {
  readonly batchLimit: number;
}

/** `tensorboard.service.PurgeDataResponse`. */
export interface PurgeDataResponse {
  readonly purgeStats: PurgeDataResponsePurgeStats | null;
}

/** `tensorboard.service.PurgeDataResponse.PurgeStats`. */
export interface PurgeDataResponsePurgeStats {
  readonly tags: number;
  readonly experiments: number;
  readonly users: number;
}

/** `tensorboard.service.WriteScalarRequest`. */
export interface WriteScalarRequest {
  readonly experimentId: string;
  readonly runs: readonly WriteScalarRequestRun[];
}

/** `tensorboard.service.WriteScalarRequest.Run`. */
export interface WriteScalarRequestRun {
  readonly name: string;
  readonly tags: readonly WriteScalarRequestTag[];
}

/** `tensorboard.service.WriteScalarRequest.Tag`. */
export interface WriteScalarRequestTag {
  readonly name: string;
  readonly points: readonly ScalarPoint[];
  readonly metadata: Uint8Array;
}

/** `tensorboard.service.WriteScalarResponse`. */
export interface WriteScalarResponse {}

/** `tensorboard.service.WriteTensorRequest`. */
export interface WriteTensorRequest {
  readonly experimentId: string;
  readonly runs: readonly WriteTensorRequestRun[];
}

/** `tensorboard.service.WriteTensorRequest.Run`. */
export interface WriteTensorRequestRun {
  readonly name: string;
  readonly tags: readonly WriteTensorRequestTag[];
}

/** `tensorboard.service.WriteTensorRequest.Tag`. */
export interface WriteTensorRequestTag {
  readonly name: string;
  readonly points: readonly TensorPoint[];
  readonly metadata: Uint8Array;
}

/** `tensorboard.service.WriteTensorResponse`. */
export interface WriteTensorResponse {}

/** `tensorboard.service.GetOrCreateBlobSequenceRequest`. */
export interface GetOrCreateBlobSequenceRequest {
  readonly experimentId: string;
  readonly run: string;
  readonly tag: string;
  readonly step: bigint;
  readonly wallTime: Timestamp | null;
  readonly finalSequenceLength: bigint;
  readonly metadata: Uint8Array;
}

/** `tensorboard.service.GetOrCreateBlobSequenceResponse`. */
export interface GetOrCreateBlobSequenceResponse {
  readonly blobSequenceId: string;
}

/** `tensorboard.service.GetBlobMetadataRequest`. */
export interface GetBlobMetadataRequest {
  readonly blobSequenceId: string;
  readonly index: bigint;
}

/** `tensorboard.service.GetBlobMetadataResponse`. */
export interface GetBlobMetadataResponse {
  readonly blobState: number;
  readonly size: bigint;
  readonly crc32c: number;
}

/** `tensorboard.service.WriteBlobRequest`. */
export interface WriteBlobRequest {
  readonly blobSequenceId: string;
  readonly index: bigint;
  readonly data: Uint8Array;
  readonly offset: bigint;
  readonly crc32c: number;
  readonly finalizeObject: boolean;
  readonly finalCrc32c: number;
  readonly blobBytes: bigint;
}

/** `tensorboard.service.WriteBlobResponse`. */
export interface WriteBlobResponse {
  readonly blobState: number;
  readonly size: bigint;
}

/** `tensorboard.service.GetUserRequest`. */
export interface GetUserRequest {}

/** `tensorboard.service.GetUserResponse`. */
export interface GetUserResponse {
  readonly userId: string;
}

/** `tensorboard.service.DeleteOwnUserRequest`. */
export interface DeleteOwnUserRequest {}

/** `tensorboard.service.DeleteOwnUserResponse`. */
export interface DeleteOwnUserResponse {}

/** `google.protobuf.Timestamp`. */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** The messages by the names that they have on the wire. */
export interface Messages {
  'grpc.health.v1.HealthCheckRequest': HealthCheckRequest;
  'grpc.health.v1.HealthCheckResponse': HealthCheckResponse;
  'tensorboard.data.GetExperimentRequest': GetExperimentRequest;
  'tensorboard.data.GetExperimentResponse': GetExperimentResponse;
  'tensorboard.data.ListPluginsRequest': ListPluginsRequest;
  'tensorboard.data.Plugin': Plugin;
  'tensorboard.data.ListPluginsResponse': ListPluginsResponse;
  'tensorboard.data.ListRunsRequest': ListRunsRequest;
  'tensorboard.data.Run': Run;
  'tensorboard.data.ListRunsResponse': ListRunsResponse;
  'tensorboard.data.PluginFilter': PluginFilter;
  'tensorboard.data.RunFilter': RunFilter;
  'tensorboard.data.TagFilter': TagFilter;
  'tensorboard.data.RunTagFilter': RunTagFilter;
  'tensorboard.data.Downsample': Downsample;
  'tensorboard.data.ListScalarsRequest': ListScalarsRequest;
  'tensorboard.data.ListScalarsResponse': ListScalarsResponse;
  'tensorboard.data.ListScalarsResponse.RunEntry': ListScalarsResponseRunEntry;
  'tensorboard.data.ListScalarsResponse.TagEntry': ListScalarsResponseTagEntry;
  'tensorboard.data.ScalarMetadata': ScalarMetadata;
  'tensorboard.data.ReadScalarsRequest': ReadScalarsRequest;
  'tensorboard.data.ReadScalarsResponse': ReadScalarsResponse;
  'tensorboard.data.ReadScalarsResponse.RunEntry': ReadScalarsResponseRunEntry;
  'tensorboard.data.ReadScalarsResponse.TagEntry': ReadScalarsResponseTagEntry;
  'tensorboard.data.ScalarData': ScalarData;
  'tensorboard.data.ListTensorsRequest': ListTensorsRequest;
  'tensorboard.data.ListTensorsResponse': ListTensorsResponse;
  'tensorboard.data.ListTensorsResponse.RunEntry': ListTensorsResponseRunEntry;
  'tensorboard.data.ListTensorsResponse.TagEntry': ListTensorsResponseTagEntry;
  'tensorboard.data.TensorMetadata': TensorMetadata;
  'tensorboard.data.ReadTensorsRequest': ReadTensorsRequest;
  'tensorboard.data.ReadTensorsResponse': ReadTensorsResponse;
  'tensorboard.data.ReadTensorsResponse.RunEntry': ReadTensorsResponseRunEntry;
  'tensorboard.data.ReadTensorsResponse.TagEntry': ReadTensorsResponseTagEntry;
  'tensorboard.data.TensorData': TensorData;
  'tensorboard.data.ListBlobSequencesRequest': ListBlobSequencesRequest;
  'tensorboard.data.ListBlobSequencesResponse': ListBlobSequencesResponse;
  'tensorboard.data.ListBlobSequencesResponse.RunEntry': ListBlobSequencesResponseRunEntry;
  'tensorboard.data.ListBlobSequencesResponse.TagEntry': ListBlobSequencesResponseTagEntry;
  'tensorboard.data.BlobSequenceMetadata': BlobSequenceMetadata;
  'tensorboard.data.ReadBlobSequencesRequest': ReadBlobSequencesRequest;
  'tensorboard.data.ReadBlobSequencesResponse': ReadBlobSequencesResponse;
  'tensorboard.data.ReadBlobSequencesResponse.RunEntry': ReadBlobSequencesResponseRunEntry;
  'tensorboard.data.ReadBlobSequencesResponse.TagEntry': ReadBlobSequencesResponseTagEntry;
  'tensorboard.data.BlobSequenceData': BlobSequenceData;
  'tensorboard.data.BlobReferenceSequence': BlobReferenceSequence;
  'tensorboard.data.BlobReference': BlobReference;
  'tensorboard.data.ReadBlobRequest': ReadBlobRequest;
  'tensorboard.data.ReadBlobResponse': ReadBlobResponse;
  'tensorboard.SummaryMetadata': SummaryMetadata;
  'tensorboard.SummaryMetadata.PluginData': SummaryMetadataPluginData;
  'tensorboard.TensorShapeProto': TensorShapeProto;
  'tensorboard.TensorShapeProto.Dim': TensorShapeProtoDim;
  'tensorboard.TensorProto': TensorProto;
  'tensorboard.service.Experiment': Experiment;
  'tensorboard.service.ExperimentMask': ExperimentMask;
  'tensorboard.service.ScalarPoint': ScalarPoint;
  'tensorboard.service.TensorPoint': TensorPoint;
  'tensorboard.service.Blob': Blob;
  'tensorboard.service.BlobSequenceEntry': BlobSequenceEntry;
  'tensorboard.service.BlobSequence': BlobSequence;
  'tensorboard.service.StreamExperimentsRequest': StreamExperimentsRequest;
  'tensorboard.service.StreamExperimentsResponse': StreamExperimentsResponse;
  'tensorboard.service.StreamExperimentDataRequest': StreamExperimentDataRequest;
  'tensorboard.service.StreamExperimentDataResponse': StreamExperimentDataResponse;
  'tensorboard.service.StreamExperimentDataResponse.ScalarPoints': StreamExperimentDataResponseScalarPoints;
  'tensorboard.service.StreamExperimentDataResponse.TensorPoints': StreamExperimentDataResponseTensorPoints;
  'tensorboard.service.StreamExperimentDataResponse.BlobSequencePoints': StreamExperimentDataResponseBlobSequencePoints;
  'tensorboard.service.StreamBlobDataRequest': StreamBlobDataRequest;
  'tensorboard.service.StreamBlobDataResponse': StreamBlobDataResponse;
  'tensorboard.service.PluginSpecification': PluginSpecification;
  'tensorboard.service.ServerInfoRequest': ServerInfoRequest;
  'tensorboard.service.Compatibility': Compatibility;
  'tensorboard.service.ApiServer': ApiServer;
  'tensorboard.service.ExperimentUrlFormat': ExperimentUrlFormat;
  'tensorboard.service.PluginControl': PluginControl;
  'tensorboard.service.UploadLimits': UploadLimits;
  'tensorboard.service.ServerInfoResponse': ServerInfoResponse;
  'tensorboard.service.CreateExperimentRequest': CreateExperimentRequest;
  'tensorboard.service.CreateExperimentResponse': CreateExperimentResponse;
  'tensorboard.service.UpdateExperimentRequest': UpdateExperimentRequest;
  'tensorboard.service.UpdateExperimentResponse': UpdateExperimentResponse;
  'tensorboard.service.DeleteExperimentRequest': DeleteExperimentRequest;
  'tensorboard.service.DeleteExperimentResponse': DeleteExperimentResponse;
  'tensorboard.service.PurgeDataRequest': PurgeDataRequest;
  'tensorboard.service.PurgeDataResponse': PurgeDataResponse;
  'tensorboard.service.PurgeDataResponse.PurgeStats': PurgeDataResponsePurgeStats;
  'tensorboard.service.WriteScalarRequest': WriteScalarRequest;
  'tensorboard.service.WriteScalarRequest.Run': WriteScalarRequestRun;
  'tensorboard.service.WriteScalarRequest.Tag': WriteScalarRequestTag;
  'tensorboard.service.WriteScalarResponse': WriteScalarResponse;
  'tensorboard.service.WriteTensorRequest': WriteTensorRequest;
  'tensorboard.service.WriteTensorRequest.Run': WriteTensorRequestRun;
  'tensorboard.service.WriteTensorRequest.Tag': WriteTensorRequestTag;
  'tensorboard.service.WriteTensorResponse': WriteTensorResponse;
  'tensorboard.service.GetOrCreateBlobSequenceRequest': GetOrCreateBlobSequenceRequest;
  'tensorboard.service.GetOrCreateBlobSequenceResponse': GetOrCreateBlobSequenceResponse;
  'tensorboard.service.GetBlobMetadataRequest': GetBlobMetadataRequest;
  'tensorboard.service.GetBlobMetadataResponse': GetBlobMetadataResponse;
  'tensorboard.service.WriteBlobRequest': WriteBlobRequest;
  'tensorboard.service.WriteBlobResponse': WriteBlobResponse;
  'tensorboard.service.GetUserRequest': GetUserRequest;
  'tensorboard.service.GetUserResponse': GetUserResponse;
  'tensorboard.service.DeleteOwnUserRequest': DeleteOwnUserRequest;
  'tensorboard.service.DeleteOwnUserResponse': DeleteOwnUserResponse;
  'google.protobuf.Timestamp': Timestamp;
}
