import { hostOf, isLoopback } from './hosts.ts';

/** Where clients reach gRPC; filled once the process listens. */
export class GrpcEndpoint {
  #target: string | null = null;
  #encrypted = false;

  /** A target as gRPC clients take it, e.g. `dns:///plots.example:443`; null: gRPC is off. */
  get target(): string | null {
    return this.#target;
  }

  /** Whether clients speak TLS there. */
  get encrypted(): boolean {
    return this.#encrypted;
  }

  /** Programs of other machines cannot reach it. */
  get isLocal(): boolean {
    return this.#target !== null && isLoopback(hostOf(this.#target));
  }

  fill(target: string, encrypted: boolean): void {
    this.#target = target;
    this.#encrypted = encrypted;
  }
}
