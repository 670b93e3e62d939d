import { hostOf, isLoopback } from './hosts.ts';

/** The gRPC address for clients; set once the process listens. */
export class GrpcEndpoint {
  #target: string | null = null;
  #encrypted = false;

  /** A target in gRPC syntax, e.g. `dns:///plots.example:443`; null if gRPC is off. */
  get target(): string | null {
    return this.#target;
  }

  /** Whether clients use TLS there. */
  get encrypted(): boolean {
    return this.#encrypted;
  }

  /** Whether the address is unreachable for programs on other machines. */
  get isLocal(): boolean {
    return this.#target !== null && isLoopback(hostOf(this.#target));
  }

  fill(target: string, encrypted: boolean): void {
    this.#target = target;
    this.#encrypted = encrypted;
  }
}
