/** gRPC cannot be served with these settings; the message names the setting. */
export class GrpcFault extends Error {
  override readonly name = 'GrpcFault';
}
