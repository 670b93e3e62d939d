/** Name of the gRPC service that stock TensorBoard reads through (`--grpc_data_provider`). */
export const service = 'tensorboard.data.TensorBoardDataProvider';
