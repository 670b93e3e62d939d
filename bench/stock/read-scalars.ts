import * as grpc from '@grpc/grpc-js';
import { bytesField, joinBytes, stringField, varintField } from '#testing';

const path = '/tensorboard.data.TensorBoardDataProvider/ReadScalars';
const same = (bytes: Buffer): Buffer => bytes;

/** Sends requests to a data provider on one connection, as stock TensorBoard does. */
export class ScalarsReader {
  readonly #client: grpc.Client;
  readonly #metadata = new grpc.Metadata();
  readonly #request: Buffer;

  /** `token`: null for a server without authentication. */
  constructor(target: string, token: string | null, experimentId: string, points: number) {
    this.#client = new grpc.Client(target, grpc.credentials.createInsecure(), { 'grpc.max_receive_message_length': 256 * 1024 * 1024 });
    if (token !== null) this.#metadata.set('authorization', `Bearer ${token}`);
    // ReadScalarsRequest{1 experiment_id; 2 plugin_filter{1 plugin_name}; 4 downsample{1
    // num_points}}
    this.#request = Buffer.from(
      joinBytes(stringField(1, experimentId), bytesField(2, stringField(1, 'scalars')), bytesField(4, varintField(1, points))),
    );
  }

  /**
   * Sends one request. Returns the milliseconds until the end of the response, and its size in
   * bytes.
   */
  ask(): Promise<{ readonly milliseconds: number; readonly bytes: number }> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, same, same, this.#request, this.#metadata, (error, response) => {
        if (error) reject(error);
        else resolve({ milliseconds: performance.now() - started, bytes: response!.length });
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}
