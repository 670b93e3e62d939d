export { GrpcTestClient } from './grpc-test-client.ts';
