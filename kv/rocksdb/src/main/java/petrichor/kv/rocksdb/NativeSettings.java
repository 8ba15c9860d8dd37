package petrichor.kv.rocksdb;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/** {@link RocksOptions} as native RocksDB objects, freed after the database itself. */
final class NativeSettings implements AutoCloseable {
    /** One per cent of the lookups of a missing row read a block unnecessarily. */
    private static final double FILTER_BITS_PER_KEY = 10;

    /** Twice RocksDB's default: halves the index, and rows of some 400 bytes compress better. */
    private static final int BLOCK_BYTES = 8 << 10;

    /**
     * Each shard has a lock and its part of the cache: with many shards, each would be too small.
     */
    private static final int CACHE_SHARD_BITS = 3;

    private static final long SYNC_WHILE_WRITING_FILES_BYTES = 1 << 20;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    final DBOptions database;
    final ColumnFamilyOptions table;
    final WriteOptions write;
    final ReadOptions read;

    NativeSettings(RocksOptions options) {
        Cache cache = keep(new LRUCache(options.blockCacheBytes(), CACHE_SHARD_BITS));
        WriteBufferManager buffers =
                keep(new WriteBufferManager(options.writeBufferBytes(), cache));
        BloomFilter filter = keep(new BloomFilter(FILTER_BITS_PER_KEY));
        table =
                keep(new ColumnFamilyOptions())
                        .setWriteBufferSize(options.writeBufferBytes())
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setTableFormatConfig(
                                new BlockBasedTableConfig()
                                        .setBlockCache(cache)
                                        .setBlockSize(BLOCK_BYTES)
                                        .setFilterPolicy(filter)
                                        // Within the cache, or they would grow with the data.
                                        .setCacheIndexAndFilterBlocks(true)
                                        .setCacheIndexAndFilterBlocksWithHighPriority(true)
                                        .setPinL0FilterAndIndexBlocksInCache(true)
                                        // Partitioned: the filter of a large file would exceed a
                                        // shard of the cache, and be read with each lookup.
                                        .setIndexType(IndexType.kTwoLevelIndexSearch)
                                        .setPartitionFilters(true)
                                        .setPinTopLevelIndexAndFilter(true)
                                        .setDataBlockIndexType(
                                                DataBlockIndexType.kDataBlockBinaryAndHash));
        database =
                keep(trackingLogs())
                        .setCreateIfMissing(true)
                        .setParanoidChecks(true)
                        .setWriteBufferManager(buffers)
                        .setMaxTotalWalSize(options.walBytesMax())
                        .setMaxOpenFiles(options.openFilesMax())
                        .setMaxBackgroundJobs(options.backgroundJobs())
                        .setBytesPerSync(SYNC_WHILE_WRITING_FILES_BYTES)
                        // A torn last record results from a crash and is dropped: it was never
                        // acknowledged. Any other record with a wrong checksum is damage and must
                        // not be taken for the end of the log, as the default does.
                        .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                        // A failed write is final until a restart (see WriteRefusal).
                        .setMaxBgErrorResumeCount(0)
                        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                        .setMaxLogFileSize(options.infoLogBytesMax())
                        .setKeepLogFileNum(options.infoLogFiles())
                        .setStatsDumpPeriodSec(0)
                        .setStatsPersistPeriodSec(0);
        write = keep(new WriteOptions()).setSync(options.sync());
        read = keep(new ReadOptions());
    }

    /** The manifest names the closed logs: a missing one is detected when opening. */
    private static DBOptions trackingLogs() {
        // There is no setter for it.
        Properties tracked = new Properties();
        tracked.setProperty("track_and_verify_wals_in_manifest", "true");
        return DBOptions.getDBOptionsFromProps(tracked);
    }

    private <T extends AutoCloseable> T keep(T nativeObject) {
        opened.push(nativeObject);
        return nativeObject;
    }

    @Override
    public void close() {
        for (AutoCloseable nativeObject : opened) {
            try {
                nativeObject.close();
            } catch (Exception e) {
                throw new AssertionError("RocksDB's objects close without checked exceptions", e);
            }
        }
        opened.clear();
    }
}
