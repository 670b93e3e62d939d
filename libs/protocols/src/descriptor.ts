/** Written from libs/protocols/proto by `npm run generate`: the definitions from which protobufjs creates codecs. Messages that are forwarded as bytes have the type `bytes`. */
export const descriptor = {
  nested: {
    grpc: {
      nested: {
        health: {
          nested: {
            v1: {
              nested: {
                Health: { methods: { Check: { requestType: 'HealthCheckRequest', responseType: 'HealthCheckResponse' } } },
                HealthCheckRequest: { fields: { service: { type: 'string', id: 1 } } },
                HealthCheckResponse: {
                  fields: { status: { type: 'ServingStatus', id: 1 } },
                  nested: { ServingStatus: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } } },
                },
              },
            },
          },
        },
      },
    },
    tensorboard: {
      nested: {
        data: {
          nested: {
            TensorBoardDataProvider: {
              methods: {
                GetExperiment: { requestType: 'GetExperimentRequest', responseType: 'GetExperimentResponse' },
                ListPlugins: { requestType: 'ListPluginsRequest', responseType: 'ListPluginsResponse' },
                ListRuns: { requestType: 'ListRunsRequest', responseType: 'ListRunsResponse' },
                ListScalars: { requestType: 'ListScalarsRequest', responseType: 'ListScalarsResponse' },
                ReadScalars: { requestType: 'ReadScalarsRequest', responseType: 'ReadScalarsResponse' },
                ListTensors: { requestType: 'ListTensorsRequest', responseType: 'ListTensorsResponse' },
                ReadTensors: { requestType: 'ReadTensorsRequest', responseType: 'ReadTensorsResponse' },
                ListBlobSequences: { requestType: 'ListBlobSequencesRequest', responseType: 'ListBlobSequencesResponse' },
                ReadBlobSequences: { requestType: 'ReadBlobSequencesRequest', responseType: 'ReadBlobSequencesResponse' },
                ReadBlob: { requestType: 'ReadBlobRequest', responseType: 'ReadBlobResponse', responseStream: true },
              },
            },
            GetExperimentRequest: { fields: { experimentId: { type: 'string', id: 1, protoName: 'experiment_id' } } },
            GetExperimentResponse: {
              fields: {
                dataLocation: { type: 'string', id: 1, protoName: 'data_location' },
                name: { type: 'string', id: 2 },
                description: { type: 'string', id: 3 },
                creationTime: { type: 'google.protobuf.Timestamp', id: 4, protoName: 'creation_time' },
              },
            },
            ListPluginsRequest: { fields: { experimentId: { type: 'string', id: 1, protoName: 'experiment_id' } } },
            Plugin: { fields: { name: { type: 'string', id: 1 } } },
            ListPluginsResponse: { fields: { plugins: { rule: 'repeated', type: 'Plugin', id: 1 } } },
            ListRunsRequest: { fields: { experimentId: { type: 'string', id: 1, protoName: 'experiment_id' } } },
            Run: {
              fields: { name: { type: 'string', id: 2 }, startTime: { type: 'double', id: 3, protoName: 'start_time' } },
              reserved: [[1, 1]],
            },
            ListRunsResponse: { fields: { runs: { rule: 'repeated', type: 'Run', id: 1 } } },
            PluginFilter: { fields: { pluginName: { type: 'string', id: 1, protoName: 'plugin_name' } } },
            RunFilter: { fields: { names: { rule: 'repeated', type: 'string', id: 1 } } },
            TagFilter: { fields: { names: { rule: 'repeated', type: 'string', id: 1 } } },
            RunTagFilter: { fields: { runs: { type: 'RunFilter', id: 1 }, tags: { type: 'TagFilter', id: 2 } } },
            Downsample: { fields: { numPoints: { type: 'int64', id: 1, protoName: 'num_points' } } },
            ListScalarsRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                pluginFilter: { type: 'PluginFilter', id: 2, protoName: 'plugin_filter' },
                runTagFilter: { type: 'RunTagFilter', id: 3, protoName: 'run_tag_filter' },
              },
            },
            ListScalarsResponse: {
              fields: { runs: { rule: 'repeated', type: 'RunEntry', id: 1 } },
              nested: {
                RunEntry: {
                  fields: {
                    runName: { type: 'string', id: 1, protoName: 'run_name' },
                    tags: { rule: 'repeated', type: 'TagEntry', id: 2 },
                  },
                },
                TagEntry: {
                  fields: { tagName: { type: 'string', id: 1, protoName: 'tag_name' }, metadata: { type: 'ScalarMetadata', id: 2 } },
                },
              },
            },
            ScalarMetadata: {
              fields: {
                maxStep: { type: 'int64', id: 1, protoName: 'max_step' },
                maxWallTime: { type: 'double', id: 2, protoName: 'max_wall_time' },
                summaryMetadata: { type: 'bytes', id: 3, protoName: 'summary_metadata' },
              },
            },
            ReadScalarsRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                pluginFilter: { type: 'PluginFilter', id: 2, protoName: 'plugin_filter' },
                runTagFilter: { type: 'RunTagFilter', id: 3, protoName: 'run_tag_filter' },
                downsample: { type: 'Downsample', id: 4 },
              },
            },
            ReadScalarsResponse: {
              fields: { runs: { rule: 'repeated', type: 'RunEntry', id: 1 } },
              nested: {
                RunEntry: {
                  fields: {
                    runName: { type: 'string', id: 1, protoName: 'run_name' },
                    tags: { rule: 'repeated', type: 'TagEntry', id: 2 },
                  },
                },
                TagEntry: { fields: { tagName: { type: 'string', id: 1, protoName: 'tag_name' }, data: { type: 'ScalarData', id: 2 } } },
              },
            },
            ScalarData: {
              fields: {
                step: { rule: 'repeated', type: 'int64', id: 1 },
                wallTime: { rule: 'repeated', type: 'double', id: 2, protoName: 'wall_time' },
                value: { rule: 'repeated', type: 'float', id: 3 },
              },
            },
            ListTensorsRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                pluginFilter: { type: 'PluginFilter', id: 2, protoName: 'plugin_filter' },
                runTagFilter: { type: 'RunTagFilter', id: 3, protoName: 'run_tag_filter' },
              },
            },
            ListTensorsResponse: {
              fields: { runs: { rule: 'repeated', type: 'RunEntry', id: 1 } },
              nested: {
                RunEntry: {
                  fields: {
                    runName: { type: 'string', id: 1, protoName: 'run_name' },
                    tags: { rule: 'repeated', type: 'TagEntry', id: 2 },
                  },
                },
                TagEntry: {
                  fields: { tagName: { type: 'string', id: 1, protoName: 'tag_name' }, metadata: { type: 'TensorMetadata', id: 2 } },
                },
              },
            },
            TensorMetadata: {
              fields: {
                maxStep: { type: 'int64', id: 1, protoName: 'max_step' },
                maxWallTime: { type: 'double', id: 2, protoName: 'max_wall_time' },
                summaryMetadata: { type: 'bytes', id: 3, protoName: 'summary_metadata' },
              },
            },
            ReadTensorsRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                pluginFilter: { type: 'PluginFilter', id: 2, protoName: 'plugin_filter' },
                runTagFilter: { type: 'RunTagFilter', id: 3, protoName: 'run_tag_filter' },
                downsample: { type: 'Downsample', id: 4 },
              },
            },
            ReadTensorsResponse: {
              fields: { runs: { rule: 'repeated', type: 'RunEntry', id: 1 } },
              nested: {
                RunEntry: {
                  fields: {
                    runName: { type: 'string', id: 1, protoName: 'run_name' },
                    tags: { rule: 'repeated', type: 'TagEntry', id: 2 },
                  },
                },
                TagEntry: { fields: { tagName: { type: 'string', id: 1, protoName: 'tag_name' }, data: { type: 'TensorData', id: 2 } } },
              },
            },
            TensorData: {
              fields: {
                step: { rule: 'repeated', type: 'int64', id: 1 },
                wallTime: { rule: 'repeated', type: 'double', id: 2, protoName: 'wall_time' },
                value: { rule: 'repeated', type: 'bytes', id: 3 },
              },
            },
            ListBlobSequencesRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                pluginFilter: { type: 'PluginFilter', id: 2, protoName: 'plugin_filter' },
                runTagFilter: { type: 'RunTagFilter', id: 3, protoName: 'run_tag_filter' },
              },
            },
            ListBlobSequencesResponse: {
              fields: { runs: { rule: 'repeated', type: 'RunEntry', id: 1 } },
              nested: {
                RunEntry: {
                  fields: {
                    runName: { type: 'string', id: 1, protoName: 'run_name' },
                    tags: { rule: 'repeated', type: 'TagEntry', id: 2 },
                  },
                },
                TagEntry: {
                  fields: { tagName: { type: 'string', id: 1, protoName: 'tag_name' }, metadata: { type: 'BlobSequenceMetadata', id: 2 } },
                },
              },
            },
            BlobSequenceMetadata: {
              fields: {
                maxStep: { type: 'int64', id: 1, protoName: 'max_step' },
                maxWallTime: { type: 'double', id: 2, protoName: 'max_wall_time' },
                maxLength: { type: 'int64', id: 3, protoName: 'max_length' },
                summaryMetadata: { type: 'bytes', id: 4, protoName: 'summary_metadata' },
              },
            },
            ReadBlobSequencesRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                pluginFilter: { type: 'PluginFilter', id: 2, protoName: 'plugin_filter' },
                runTagFilter: { type: 'RunTagFilter', id: 3, protoName: 'run_tag_filter' },
                downsample: { type: 'Downsample', id: 4 },
              },
            },
            ReadBlobSequencesResponse: {
              fields: { runs: { rule: 'repeated', type: 'RunEntry', id: 1 } },
              nested: {
                RunEntry: {
                  fields: {
                    runName: { type: 'string', id: 1, protoName: 'run_name' },
                    tags: { rule: 'repeated', type: 'TagEntry', id: 2 },
                  },
                },
                TagEntry: {
                  fields: { tagName: { type: 'string', id: 1, protoName: 'tag_name' }, data: { type: 'BlobSequenceData', id: 2 } },
                },
              },
            },
            BlobSequenceData: {
              fields: {
                step: { rule: 'repeated', type: 'int64', id: 1 },
                wallTime: { rule: 'repeated', type: 'double', id: 2, protoName: 'wall_time' },
                values: { rule: 'repeated', type: 'BlobReferenceSequence', id: 3 },
              },
            },
            BlobReferenceSequence: { fields: { blobRefs: { rule: 'repeated', type: 'BlobReference', id: 1, protoName: 'blob_refs' } } },
            BlobReference: { fields: { blobKey: { type: 'string', id: 1, protoName: 'blob_key' }, url: { type: 'string', id: 2 } } },
            ReadBlobRequest: { fields: { blobKey: { type: 'string', id: 1, protoName: 'blob_key' } } },
            ReadBlobResponse: { fields: { data: { type: 'bytes', id: 1 } } },
          },
        },
        DataClass: { values: { DATA_CLASS_UNKNOWN: 0, DATA_CLASS_SCALAR: 1, DATA_CLASS_TENSOR: 2, DATA_CLASS_BLOB_SEQUENCE: 3 } },
        SummaryMetadata: {
          fields: {
            pluginData: { type: 'PluginData', id: 1, protoName: 'plugin_data' },
            displayName: { type: 'string', id: 2, protoName: 'display_name' },
            summaryDescription: { type: 'string', id: 3, protoName: 'summary_description' },
            dataClass: { type: 'DataClass', id: 4, protoName: 'data_class' },
          },
          nested: {
            PluginData: { fields: { pluginName: { type: 'string', id: 1, protoName: 'plugin_name' }, content: { type: 'bytes', id: 2 } } },
          },
        },
        DataType: {
          values: {
            DT_INVALID: 0,
            DT_FLOAT: 1,
            DT_DOUBLE: 2,
            DT_INT32: 3,
            DT_UINT8: 4,
            DT_INT16: 5,
            DT_INT8: 6,
            DT_STRING: 7,
            DT_COMPLEX64: 8,
            DT_INT64: 9,
            DT_BOOL: 10,
            DT_QINT8: 11,
            DT_QUINT8: 12,
            DT_QINT32: 13,
            DT_BFLOAT16: 14,
            DT_QINT16: 15,
            DT_QUINT16: 16,
            DT_UINT16: 17,
            DT_COMPLEX128: 18,
            DT_HALF: 19,
            DT_RESOURCE: 20,
            DT_VARIANT: 21,
            DT_UINT32: 22,
            DT_UINT64: 23,
          },
        },
        TensorShapeProto: {
          fields: { dim: { rule: 'repeated', type: 'Dim', id: 2 }, unknownRank: { type: 'bool', id: 3, protoName: 'unknown_rank' } },
          nested: { Dim: { fields: { size: { type: 'int64', id: 1 }, name: { type: 'string', id: 2 } } } },
        },
        TensorProto: {
          fields: {
            dtype: { type: 'DataType', id: 1 },
            tensorShape: { type: 'TensorShapeProto', id: 2, protoName: 'tensor_shape' },
            versionNumber: { type: 'int32', id: 3, protoName: 'version_number' },
            tensorContent: { type: 'bytes', id: 4, protoName: 'tensor_content' },
            floatVal: { rule: 'repeated', type: 'float', id: 5, protoName: 'float_val' },
            doubleVal: { rule: 'repeated', type: 'double', id: 6, protoName: 'double_val' },
            intVal: { rule: 'repeated', type: 'int32', id: 7, protoName: 'int_val' },
            stringVal: { rule: 'repeated', type: 'bytes', id: 8, protoName: 'string_val' },
            scomplexVal: { rule: 'repeated', type: 'float', id: 9, protoName: 'scomplex_val' },
            int64Val: { rule: 'repeated', type: 'int64', id: 10, protoName: 'int64_val' },
            boolVal: { rule: 'repeated', type: 'bool', id: 11, protoName: 'bool_val' },
            dcomplexVal: { rule: 'repeated', type: 'double', id: 12, protoName: 'dcomplex_val' },
            halfVal: { rule: 'repeated', type: 'int32', id: 13, protoName: 'half_val' },
            uint32Val: { rule: 'repeated', type: 'uint32', id: 16, protoName: 'uint32_val' },
            uint64Val: { rule: 'repeated', type: 'uint64', id: 17, protoName: 'uint64_val' },
          },
        },
        service: {
          nested: {
            Experiment: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                createTime: { type: 'google.protobuf.Timestamp', id: 2, protoName: 'create_time' },
                updateTime: { type: 'google.protobuf.Timestamp', id: 3, protoName: 'update_time' },
                numScalars: { type: 'int64', id: 4, protoName: 'num_scalars' },
                numRuns: { type: 'int64', id: 5, protoName: 'num_runs' },
                numTags: { type: 'int64', id: 6, protoName: 'num_tags' },
                name: { type: 'string', id: 7 },
                description: { type: 'string', id: 8 },
                totalTensorBytes: { type: 'int64', id: 9, protoName: 'total_tensor_bytes' },
                totalBlobBytes: { type: 'int64', id: 10, protoName: 'total_blob_bytes' },
                owner: { type: 'string', id: 11 },
              },
            },
            ExperimentMask: {
              fields: {
                createTime: { type: 'bool', id: 2, protoName: 'create_time' },
                updateTime: { type: 'bool', id: 3, protoName: 'update_time' },
                numScalars: { type: 'bool', id: 4, protoName: 'num_scalars' },
                numRuns: { type: 'bool', id: 5, protoName: 'num_runs' },
                numTags: { type: 'bool', id: 6, protoName: 'num_tags' },
                name: { type: 'bool', id: 7 },
                description: { type: 'bool', id: 8 },
                totalTensorBytes: { type: 'bool', id: 9, protoName: 'total_tensor_bytes' },
                totalBlobBytes: { type: 'bool', id: 10, protoName: 'total_blob_bytes' },
                owner: { type: 'bool', id: 11 },
              },
            },
            ScalarPoint: {
              fields: {
                step: { type: 'int64', id: 1 },
                wallTime: { type: 'google.protobuf.Timestamp', id: 2, protoName: 'wall_time' },
                value: { type: 'double', id: 3 },
              },
            },
            TensorPoint: {
              fields: {
                step: { type: 'int64', id: 1 },
                wallTime: { type: 'google.protobuf.Timestamp', id: 2, protoName: 'wall_time' },
                value: { type: 'bytes', id: 3 },
              },
            },
            BlobState: { values: { BLOB_STATE_UNKNOWN: 0, BLOB_STATE_UNFINALIZED: 1, BLOB_STATE_CURRENT: 2 } },
            Blob: { fields: { blobId: { type: 'string', id: 1, protoName: 'blob_id' }, state: { type: 'BlobState', id: 2 } } },
            BlobSequenceEntry: { fields: { blob: { type: 'Blob', id: 1 } } },
            BlobSequence: { fields: { entries: { rule: 'repeated', type: 'BlobSequenceEntry', id: 1 } } },
            TensorBoardExporterService: {
              methods: {
                StreamExperiments: {
                  requestType: 'StreamExperimentsRequest',
                  responseType: 'StreamExperimentsResponse',
                  responseStream: true,
                },
                StreamExperimentData: {
                  requestType: 'StreamExperimentDataRequest',
                  responseType: 'StreamExperimentDataResponse',
                  responseStream: true,
                },
                StreamBlobData: { requestType: 'StreamBlobDataRequest', responseType: 'StreamBlobDataResponse', responseStream: true },
              },
            },
            StreamExperimentsRequest: {
              fields: {
                readTimestamp: { type: 'google.protobuf.Timestamp', id: 1, protoName: 'read_timestamp' },
                userId: { type: 'string', id: 2, protoName: 'user_id' },
                limit: { type: 'int64', id: 3 },
                experimentsMask: { type: 'ExperimentMask', id: 4, protoName: 'experiments_mask' },
              },
            },
            StreamExperimentsResponse: {
              fields: {
                experimentIds: { rule: 'repeated', type: 'string', id: 1, protoName: 'experiment_ids' },
                experiments: { rule: 'repeated', type: 'Experiment', id: 2 },
              },
            },
            StreamExperimentDataRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                readTimestamp: { type: 'google.protobuf.Timestamp', id: 2, protoName: 'read_timestamp' },
              },
            },
            StreamExperimentDataResponse: {
              oneofs: { data: { oneof: ['points', 'tensors', 'blobSequences'] } },
              fields: {
                tagName: { type: 'string', id: 1, protoName: 'tag_name' },
                runName: { type: 'string', id: 2, protoName: 'run_name' },
                tagMetadata: { type: 'bytes', id: 3, protoName: 'tag_metadata' },
                points: { type: 'ScalarPoints', id: 4 },
                tensors: { type: 'TensorPoints', id: 5 },
                blobSequences: { type: 'BlobSequencePoints', id: 6, protoName: 'blob_sequences' },
              },
              nested: {
                ScalarPoints: {
                  fields: {
                    steps: { rule: 'repeated', type: 'int64', id: 1 },
                    wallTimes: { rule: 'repeated', type: 'google.protobuf.Timestamp', id: 2, protoName: 'wall_times' },
                    values: { rule: 'repeated', type: 'double', id: 3 },
                  },
                },
                TensorPoints: {
                  fields: {
                    steps: { rule: 'repeated', type: 'int64', id: 1 },
                    wallTimes: { rule: 'repeated', type: 'google.protobuf.Timestamp', id: 2, protoName: 'wall_times' },
                    values: { rule: 'repeated', type: 'bytes', id: 3 },
                  },
                },
                BlobSequencePoints: {
                  fields: {
                    steps: { rule: 'repeated', type: 'int64', id: 1 },
                    wallTimes: { rule: 'repeated', type: 'google.protobuf.Timestamp', id: 2, protoName: 'wall_times' },
                    values: { rule: 'repeated', type: 'BlobSequence', id: 3 },
                  },
                },
              },
            },
            StreamBlobDataRequest: { fields: { blobId: { type: 'string', id: 1, protoName: 'blob_id' } } },
            StreamBlobDataResponse: {
              fields: {
                data: { type: 'bytes', id: 1 },
                offset: { type: 'int64', id: 2 },
                finalChunk: { type: 'bool', id: 4, protoName: 'final_chunk' },
                finalCrc32c: { type: 'fixed32', id: 5, protoName: 'final_crc32c' },
              },
              reserved: [[3, 3]],
            },
            PluginSpecification: { fields: { uploadPlugins: { rule: 'repeated', type: 'string', id: 2, protoName: 'upload_plugins' } } },
            ServerInfoRequest: {
              fields: {
                version: { type: 'string', id: 1 },
                pluginSpecification: { type: 'PluginSpecification', id: 2, protoName: 'plugin_specification' },
              },
            },
            CompatibilityVerdict: { values: { VERDICT_UNKNOWN: 0, VERDICT_OK: 1, VERDICT_WARN: 2, VERDICT_ERROR: 3 } },
            Compatibility: { fields: { verdict: { type: 'CompatibilityVerdict', id: 1 }, details: { type: 'string', id: 2 } } },
            ApiServer: { fields: { endpoint: { type: 'string', id: 1 } } },
            ExperimentUrlFormat: {
              fields: { template: { type: 'string', id: 1 }, idPlaceholder: { type: 'string', id: 2, protoName: 'id_placeholder' } },
            },
            PluginControl: { fields: { allowedPlugins: { rule: 'repeated', type: 'string', id: 1, protoName: 'allowed_plugins' } } },
            UploadLimits: {
              fields: {
                maxBlobSize: { type: 'int64', id: 1, protoName: 'max_blob_size' },
                maxTensorPointSize: { type: 'int64', id: 2, protoName: 'max_tensor_point_size' },
                maxScalarRequestSize: { type: 'int64', id: 3, protoName: 'max_scalar_request_size' },
                maxTensorRequestSize: { type: 'int64', id: 4, protoName: 'max_tensor_request_size' },
                maxBlobRequestSize: { type: 'int64', id: 5, protoName: 'max_blob_request_size' },
                minScalarRequestInterval: { type: 'int64', id: 6, protoName: 'min_scalar_request_interval' },
                minTensorRequestInterval: { type: 'int64', id: 7, protoName: 'min_tensor_request_interval' },
                minBlobRequestInterval: { type: 'int64', id: 8, protoName: 'min_blob_request_interval' },
              },
            },
            ServerInfoResponse: {
              fields: {
                compatibility: { type: 'Compatibility', id: 1 },
                apiServer: { type: 'ApiServer', id: 2, protoName: 'api_server' },
                urlFormat: { type: 'ExperimentUrlFormat', id: 3, protoName: 'url_format' },
                pluginControl: { type: 'PluginControl', id: 4, protoName: 'plugin_control' },
                uploadLimits: { type: 'UploadLimits', id: 5, protoName: 'upload_limits' },
              },
            },
            TensorBoardWriterService: {
              methods: {
                CreateExperiment: { requestType: 'CreateExperimentRequest', responseType: 'CreateExperimentResponse' },
                UpdateExperiment: { requestType: 'UpdateExperimentRequest', responseType: 'UpdateExperimentResponse' },
                DeleteExperiment: { requestType: 'DeleteExperimentRequest', responseType: 'DeleteExperimentResponse' },
                PurgeData: { requestType: 'PurgeDataRequest', responseType: 'PurgeDataResponse' },
                WriteScalar: { requestType: 'WriteScalarRequest', responseType: 'WriteScalarResponse' },
                WriteTensor: { requestType: 'WriteTensorRequest', responseType: 'WriteTensorResponse' },
                GetOrCreateBlobSequence: { requestType: 'GetOrCreateBlobSequenceRequest', responseType: 'GetOrCreateBlobSequenceResponse' },
                GetBlobMetadata: { requestType: 'GetBlobMetadataRequest', responseType: 'GetBlobMetadataResponse' },
                WriteBlob: {
                  requestType: 'WriteBlobRequest',
                  requestStream: true,
                  responseType: 'WriteBlobResponse',
                  responseStream: true,
                },
                GetUser: { requestType: 'GetUserRequest', responseType: 'GetUserResponse' },
                DeleteOwnUser: { requestType: 'DeleteOwnUserRequest', responseType: 'DeleteOwnUserResponse' },
              },
            },
            CreateExperimentRequest: { fields: { name: { type: 'string', id: 1 }, description: { type: 'string', id: 2 } } },
            CreateExperimentResponse: {
              fields: { experimentId: { type: 'string', id: 1, protoName: 'experiment_id' }, url: { type: 'string', id: 2 } },
            },
            UpdateExperimentRequest: {
              fields: {
                experiment: { type: 'Experiment', id: 1 },
                experimentMask: { type: 'ExperimentMask', id: 2, protoName: 'experiment_mask' },
              },
            },
            UpdateExperimentResponse: { fields: {} },
            DeleteExperimentRequest: { fields: { experimentId: { type: 'string', id: 1, protoName: 'experiment_id' } } },
            DeleteExperimentResponse: { fields: {} },
            PurgeDataRequest: { fields: { batchLimit: { type: 'int32', id: 1, protoName: 'batch_limit' } } },
            PurgeDataResponse: {
              fields: { purgeStats: { type: 'PurgeStats', id: 1, protoName: 'purge_stats' } },
              nested: {
                PurgeStats: {
                  fields: { tags: { type: 'int32', id: 1 }, experiments: { type: 'int32', id: 2 }, users: { type: 'int32', id: 3 } },
                },
              },
            },
            WriteScalarRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                runs: { rule: 'repeated', type: 'Run', id: 2 },
              },
              nested: {
                Run: { fields: { name: { type: 'string', id: 1 }, tags: { rule: 'repeated', type: 'Tag', id: 2 } } },
                Tag: {
                  fields: {
                    name: { type: 'string', id: 1 },
                    points: { rule: 'repeated', type: 'ScalarPoint', id: 2 },
                    metadata: { type: 'bytes', id: 3 },
                  },
                },
              },
            },
            WriteScalarResponse: { fields: {} },
            WriteTensorRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                runs: { rule: 'repeated', type: 'Run', id: 2 },
              },
              nested: {
                Run: { fields: { name: { type: 'string', id: 1 }, tags: { rule: 'repeated', type: 'Tag', id: 2 } } },
                Tag: {
                  fields: {
                    name: { type: 'string', id: 1 },
                    points: { rule: 'repeated', type: 'TensorPoint', id: 2 },
                    metadata: { type: 'bytes', id: 3 },
                  },
                },
              },
            },
            WriteTensorResponse: { fields: {} },
            GetOrCreateBlobSequenceRequest: {
              fields: {
                experimentId: { type: 'string', id: 1, protoName: 'experiment_id' },
                run: { type: 'string', id: 2 },
                tag: { type: 'string', id: 3 },
                step: { type: 'int64', id: 4 },
                wallTime: { type: 'google.protobuf.Timestamp', id: 5, protoName: 'wall_time' },
                finalSequenceLength: { type: 'int64', id: 6, protoName: 'final_sequence_length' },
                metadata: { type: 'bytes', id: 7 },
              },
            },
            GetOrCreateBlobSequenceResponse: { fields: { blobSequenceId: { type: 'string', id: 1, protoName: 'blob_sequence_id' } } },
            GetBlobMetadataRequest: {
              fields: { blobSequenceId: { type: 'string', id: 1, protoName: 'blob_sequence_id' }, index: { type: 'int64', id: 2 } },
            },
            GetBlobMetadataResponse: {
              fields: {
                blobState: { type: 'BlobState', id: 1, protoName: 'blob_state' },
                size: { type: 'int64', id: 2 },
                crc32c: { type: 'fixed32', id: 3 },
              },
            },
            WriteBlobRequest: {
              fields: {
                blobSequenceId: { type: 'string', id: 1, protoName: 'blob_sequence_id' },
                index: { type: 'int64', id: 2 },
                data: { type: 'bytes', id: 3 },
                offset: { type: 'int64', id: 4 },
                crc32c: { type: 'fixed32', id: 5 },
                finalizeObject: { type: 'bool', id: 6, protoName: 'finalize_object' },
                finalCrc32c: { type: 'fixed32', id: 7, protoName: 'final_crc32c' },
                blobBytes: { type: 'int64', id: 8, protoName: 'blob_bytes' },
              },
            },
            WriteBlobResponse: {
              fields: { blobState: { type: 'BlobState', id: 1, protoName: 'blob_state' }, size: { type: 'int64', id: 2 } },
            },
            GetUserRequest: { fields: {} },
            GetUserResponse: { fields: { userId: { type: 'string', id: 1, protoName: 'user_id' } } },
            DeleteOwnUserRequest: { fields: {} },
            DeleteOwnUserResponse: { fields: {} },
          },
        },
      },
    },
    google: {
      nested: { protobuf: { nested: { Timestamp: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } } } } },
    },
  },
};
