/** gRPC cannot be served as the settings say; the message names the setting. */
export class GrpcFault extends Error {
  override readonly name = 'GrpcFault';
}
