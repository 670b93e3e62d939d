/** Downloads bytes as a file. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A file name for a tag, valid on every file system. */
export function fileName(tag: string, extension: string): string {
  const plain = tag.replace(/[^A-Za-z0-9._=-]+/g, '_').replace(/^[._]+|_+$/g, '');
  return `${plain.slice(0, 100) || 'chart'}.${extension}`;
}
