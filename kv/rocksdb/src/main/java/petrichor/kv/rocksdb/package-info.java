/**
 * The embedded store on disk: RocksDB, one folder, one process. Tables are column families; a write
 * is one native batch and one synced append to the write-ahead log; views are RocksDB's snapshots.
 *
 * <p>{@link petrichor.kv.rocksdb.RocksStore} is the face; {@link petrichor.kv.rocksdb.RocksFolder}
 * owns everything native and sees to it that nothing is used after it was freed.
 */
@NullMarked
package petrichor.kv.rocksdb;

import org.jspecify.annotations.NullMarked;
