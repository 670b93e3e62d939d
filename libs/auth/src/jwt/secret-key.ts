import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts data that the database must store but that must not be readable there: AES-256-GCM with
 * a key derived from PLOTLINE_SECRET_KEY by HKDF (RFC 5869).
 */
export class SecretKey {
  readonly #key: Buffer;

  /**
   * `purpose` separates the keys derived from one secret: data sealed for one purpose cannot be
   * opened for another.
   */
  constructor(secret: string, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', `plotline ${purpose}`, 32));
  }

  /**
   * Returns the nonce, the tag and the ciphertext. `name` identifies the content, which cannot be
   * opened under another name.
   */
  seal(plain: Buffer, name: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /**
   * Returns null if the content was sealed with another secret, for another purpose or under
   * another name, or was modified.
   */
  open(sealed: Buffer, name: string): Buffer | null {
    if (sealed.length < nonceBytes + tagBytes) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(name))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
    } catch {
      return null;
    }
  }
}
