/** A self-signed certificate for localhost, made when it is needed: no key is in the repository. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Key and certificate as PEM, or null without openssl. */
export function makeIdentity(): { key: string; cert: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'))
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') }
  try {
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`
    const args = [...words.split(' '), '-keyout', files.key, '-out', files.cert]
    const { status } = spawnSync('openssl', args)
    if (status !== 0) return null
    return { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
