import type { Metadata } from '@grpc/grpc-js';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Problem } from '#model';
import type { AnyCall } from './any-call.ts';
import { single } from './call-context.ts';

/** Which peers may connect, and where calls come from. */
export class Peers {
  readonly #proxies = new BlockList();
  readonly #proxiesOnly: boolean;

  /** `proxiesOnly`: accepts calls only from these proxies, because calls are not encrypted. */
  constructor(proxies: readonly string[], proxiesOnly: boolean) {
    this.#proxiesOnly = proxiesOnly;
    for (const network of proxies) {
      const [address = '', bits] = network.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#proxies.addAddress(address, family);
      else this.#proxies.addSubnet(address, Number(bits), family);
    }
  }

  /** Throws `forbidden` if only proxies may connect, and the peer is not one. */
  check(call: AnyCall): void {
    if (this.#proxiesOnly && !this.isProxied(call))
      throw new Problem('forbidden', "This port is not encrypted and accepts calls only from the reverse proxy. Use the proxy's address.");
  }

  /** Whether a trusted proxy forwards the call. */
  isProxied(call: Pick<AnyCall, 'getPeer'>): boolean {
    return this.isProxy(peerOf(call));
  }

  /** The peer, or the client that trusted proxies report. Empty if unknown. */
  addressOf(call: AnyCall): string {
    return this.addressFrom(call.getPeer(), call.metadata);
  }

  /**
   * Like {@link addressOf}, for a call that has no handler yet. `peer`: in the transport's form.
   */
  addressFrom(peer: string, metadata: Metadata): string {
    let address = addressIn(peer);
    const said = (single(metadata, 'x-forwarded-for') ?? '').split(',').map((part) => part.trim());
    while (this.isProxy(address) && isIP(said.at(-1) ?? '') !== 0) address = said.pop()!;
    return address;
  }

  /** Whether this is the address of a trusted proxy. */
  isProxy(address: string): boolean {
    return isIP(address) !== 0 && this.#proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

function peerOf(call: Pick<AnyCall, 'getPeer'>): string {
  return addressIn(call.getPeer());
}

/** A peer's address, without its port: `127.0.0.1:1234`, `[::1]:1234`, `::ffff:127.0.0.1:1234`. */
function addressIn(peer: string): string {
  const address = peer.replace(/:[0-9]+$/, '').replace(/^\[|\]$/g, '');
  return address.replace(/^::ffff:(?=[0-9.]+$)/i, '');
}
