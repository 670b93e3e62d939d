import type { PartState } from './parts.ts';
import { startS3 } from './private-s3.ts';
import type { S3Access } from './s3-bucket.ts';
import { versitygwVersion } from './versitygw.ts';

/** An S3 server that all suites in a run share. Each suite creates its own bucket. */
export interface TestS3 {
  readonly access: S3Access;
  /** How the server was found or started, for display. */
  readonly how: string;
  stop(): Promise<void>;
}

/**
 * `TEST_S3_ENDPOINT`, otherwise a container if a Docker engine responds, otherwise a local
 * versitygw, which is installed if Go is available.
 */
export async function findS3(docker: PartState): Promise<TestS3 | { missing: string }> {
  const given = fromEnvironment(process.env);
  if (given) return given;
  let containerFault = '';
  if ('found' in docker) {
    try {
      return await startContainer();
    } catch (error) {
      containerFault = `the container did not start (${(error as Error).message}); `;
    }
  }
  try {
    const server = await startS3();
    const { endpoint, region, accessKeyId, secretAccessKey } = server;
    return { access: { endpoint, region, accessKeyId, secretAccessKey }, how: 'versitygw', stop: () => server.stop() };
  } catch (error) {
    return { missing: `${containerFault}${(error as Error).message}` };
  }
}

function fromEnvironment(env: NodeJS.ProcessEnv): TestS3 | { missing: string } | null {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY_ID: accessKeyId, TEST_S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!endpoint) return null;
  if (!accessKeyId || !secretAccessKey)
    return { missing: 'TEST_S3_ENDPOINT is set, but TEST_S3_ACCESS_KEY_ID or TEST_S3_SECRET_ACCESS_KEY is not' };
  const region = env.TEST_S3_REGION ?? 'us-east-1';
  return { access: { endpoint, region, accessKeyId, secretAccessKey }, how: 'TEST_S3_ENDPOINT', stop: async () => {} };
}

async function startContainer(): Promise<TestS3> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const keys = { accessKeyId: 'plotline-test', secretAccessKey: 'plotline-test-secret' };
  const image = `versity/versitygw:${versitygwVersion}`;
  const container = await new GenericContainer(image)
    .withEnvironment({ ROOT_ACCESS_KEY_ID: keys.accessKeyId, ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey })
    // Stored in the container's own file system, which has extended attributes. Metadata stored
    // beside the objects would outlive a replaced object
    .withCommand(['--port', ':7070', '--health', '/health', '--keep-alive', '--quiet', 'posix', '/tmp'])
    .withExposedPorts(7070)
    .withWaitStrategy(Wait.forHttp('/health', 7070))
    .start();
  return {
    access: { endpoint: `http://${container.getHost()}:${container.getMappedPort(7070)}`, region: 'us-east-1', ...keys },
    how: `a container (${image})`,
    stop: async () => void (await container.stop()),
  };
}
