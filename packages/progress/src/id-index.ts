/**
 * Where an id was seen: an exact index from ids to slots that does not hold
 * the ids. It is a hash table of numbers; whether two ids with one hash are the
 * same, the caller tells from the ids it has. So a false match is impossible,
 * and an id costs 16 to 32 bytes beyond its text.
 *
 * The hash is no secret, so somebody may choose ids that share one. What finds
 * no place within `probesMax` steps goes to a Map, whose hashing the engine
 * protects: the worst log is slower by a constant factor, not quadratic.
 */

/** Steps from the place of an id's hash within which it is put and looked for. */
const probesMax = 24
const capacityMin = 16

export class IdIndex {
  /** The id of a slot that is not older than `#oldest()`. */
  readonly #idOf: (slot: number) => string
  /** The first slot that still counts; never less than before. Older entries are stale. */
  readonly #oldest: () => number
  /** What places count from. */
  #base: number
  /** Pairs of hash and place; a place is slot minus base plus one, 0 when free. */
  #table: Uint32Array = new Uint32Array(2 * capacityMin)
  #taken = 0
  #crowded = new Map<string, number>()
  #hashedId = ''
  #hash = hashOf('')

  constructor(oldest: () => number, idOf: (slot: number) => string) {
    this.#oldest = oldest
    this.#idOf = idOf
    this.#base = oldest()
  }

  /** The slot of an id, or undefined when it was not added or is too old. */
  find(id: string): number | undefined {
    const oldest = this.#oldest()
    const hash = this.#hashOf(id)
    const table = this.#table
    const mask = table.length - 1
    for (let probe = 0; probe < probesMax; probe++) {
      const index = (2 * (hash + probe)) & mask
      const place = table[index + 1] ?? 0
      if (place === 0) return undefined
      if (table[index] !== hash) continue
      const slot = this.#base + place - 1
      if (slot >= oldest && this.#idOf(slot) === id) return slot
    }
    const slot = this.#crowded.get(id)
    return slot === undefined || slot < oldest ? undefined : slot
  }

  /** Adds an id that `find` does not know. */
  add(id: string, slot: number): void {
    if ((this.#taken + this.#crowded.size) * 4 >= this.#table.length) this.#rebuild()
    this.#put(this.#hashOf(id), slot, id)
  }

  #hashOf(id: string): number {
    // `find` and `add` ask for the same id one after the other.
    if (id !== this.#hashedId) {
      this.#hashedId = id
      this.#hash = hashOf(id)
    }
    return this.#hash
  }

  /** @param id read from the slot where it is not at hand. */
  #put(hash: number, slot: number, id: string | null): void {
    const table = this.#table
    const mask = table.length - 1
    for (let probe = 0; probe < probesMax; probe++) {
      const index = (2 * (hash + probe)) & mask
      if (table[index + 1] !== 0) continue
      table[index] = hash
      table[index + 1] = slot - this.#base + 1
      this.#taken++
      return
    }
    this.#crowded.set(id ?? this.#idOf(slot), slot)
  }

  /** Drops what is stale and makes room, so that a quarter to a half of it is taken. */
  #rebuild(): void {
    const [base, table, crowded] = [this.#base, this.#table, this.#crowded]
    const oldest = this.#oldest()
    let live = crowded.size
    for (let index = 1; index < table.length; index += 2) {
      if (base + (table[index] ?? 0) > oldest) live++
    }
    let capacity = capacityMin
    while (capacity < live * 4) capacity *= 2
    this.#base = oldest
    this.#table = new Uint32Array(2 * capacity)
    this.#crowded = new Map()
    this.#taken = 0
    for (let index = 0; index < table.length; index += 2) {
      // A free place reads as a slot before the base, and no base is newer than what is stale.
      const slot = base + (table[index + 1] ?? 0) - 1
      if (slot >= oldest) this.#put(table[index] ?? 0, slot, null)
    }
    for (const [id, slot] of crowded) if (slot >= oldest) this.#put(hashOf(id), slot, id)
  }
}

/** FNV-1a over the UTF-16 units, its bits mixed so that the low ones are worth using. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  }
  hash ^= hash >>> 15
  return (Math.imul(hash, 0x85ebca6b) ^ (hash >>> 13)) >>> 0
}
