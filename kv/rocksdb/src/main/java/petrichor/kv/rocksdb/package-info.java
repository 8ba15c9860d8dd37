/**
 * The embedded store on disk: RocksDB, one folder, one process. Tables are column families; a write
 * is one native batch and one synced append to the write-ahead log; views are RocksDB's snapshots.
 *
 * <p>{@link petrichor.kv.rocksdb.RocksStore} is the store; {@link petrichor.kv.rocksdb.RocksFolder}
 * owns all native objects and ensures that none is used after it was freed.
 */
@NullMarked
package petrichor.kv.rocksdb;

import org.jspecify.annotations.NullMarked;
