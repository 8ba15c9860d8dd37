package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Hybrid hash join. The build side stays in memory if it fits. If not, both sides are partitioned
 * to disk by hash and joined partition by partition; one partition is resident, and its records
 * never touch the disk. A partition that is still too large is partitioned recursively; one that
 * cannot be divided (many records of one key) is joined in chunks that fit into memory (block
 * nested loops). Belongs to one thread.
 */
public final class HybridHashJoin implements AutoCloseable {
    /** Receives joined pairs; both records are views that are valid during the call. */
    public interface Pairs {
        void pair(RecordView build, RecordView probe);
    }

    /** The partition that stays in memory when the others are spilled. */
    private static final int RESIDENT = 0;

    private final Key buildKey;
    private final RecordType buildType;
    private final Key probeKey;
    private final RecordType probeType;
    private final KeyHash buildHash;
    private final KeyHash probeHash;
    private final MemoryShare memory;
    private final Workspace space;
    private final int level;
    private final JoinTable table;
    private @Nullable SpillPartitions builds;
    private @Nullable SpillPartitions probes;
    private final BlockPacker resident;
    private boolean residentSpilled;

    public HybridHashJoin(
            Key buildKey,
            RecordType buildType,
            Key probeKey,
            RecordType probeType,
            MemoryShare memory,
            Workspace space,
            int level) {
        this.buildKey = buildKey;
        this.buildType = buildType;
        this.probeKey = probeKey;
        this.probeType = probeType;
        this.buildHash = KeyHash.of(buildKey, buildType);
        this.probeHash = KeyHash.of(probeKey, probeType);
        this.memory = memory;
        this.space = space;
        this.level = level;
        this.resident = new BlockPacker(space.pool(), this::addResident);
        this.table = new JoinTable(buildKey, buildType, probeKey, probeType, memory, space.pool());
    }

    /** Takes ownership of a block of the build side. */
    public void build(Block block) {
        if (builds == null) {
            if (table.add(block)) {
                return;
            }
            builds = new SpillPartitions(level, space);
            for (Block held : table.takeBlocks()) {
                spread(held);
            }
        }
        spread(block);
    }

    private void spread(Block block) {
        BlockCursor cursor = new BlockCursor(buildType);
        cursor.over(block);
        for (RecordView record = cursor.next(); record != null; record = cursor.next()) {
            long hash = buildHash.hash(record);
            if (residentSpilled || SpillPartitions.partition(hash, level) != RESIDENT) {
                files(builds).append(hash, record);
            } else {
                resident.add(record);
            }
        }
        space.pool().give(block);
    }

    private void addResident(Block block) {
        if (residentSpilled || !table.add(block)) {
            residentSpilled = true;
            for (Block held : table.takeBlocks()) {
                spread(held);
            }
            spread(block);
        }
    }

    /** Ends the build phase. */
    public void built() {
        SpillPartitions files = builds;
        if (files != null) {
            resident.flush();
            files.flush();
            probes = new SpillPartitions(level, space);
        }
        table.index();
    }

    /**
     * Probes with one record, which is joined now or, if its partition was spilled, in {@link
     * #finish}.
     */
    public void probe(RecordView record, Pairs pairs) {
        long hash = probeHash.hash(record);
        if (builds != null
                && (residentSpilled || SpillPartitions.partition(hash, level) != RESIDENT)) {
            if (files(builds).file(SpillPartitions.partition(hash, level)).records() > 0) {
                files(probes).append(hash, record);
            }
            return;
        }
        for (int i = table.find(record, hash); i != 0; i = table.next(i)) {
            pairs.pair(table.at(i), record);
        }
    }

    /** Ends the probe phase: joins the spilled partitions. */
    public void finish(Pairs pairs) {
        table.clear();
        if (builds == null) {
            return;
        }
        files(probes).flush();
        long all = files(builds).records();
        for (int i = 0; i < SpillPartitions.COUNT; i++) {
            SpillFile build = files(builds).file(i);
            SpillFile probe = files(probes).file(i);
            if (build.records() > 0 && probe.records() > 0) {
                boolean spreads = build.records() <= all / 2;
                if (spreads && level + 1 < SpillPartitions.LEVELS_MAX) {
                    joinPart(build, probe, pairs);
                } else {
                    joinMemoryFulls(build, probe, pairs);
                }
            }
            build.close();
            probe.close();
        }
    }

    private void joinPart(SpillFile build, SpillFile probe, Pairs pairs) {
        try (HybridHashJoin part =
                new HybridHashJoin(
                        buildKey, buildType, probeKey, probeType, memory, space, level + 1)) {
            for (long at = 0; at < build.size(); ) {
                space.control().check();
                Block block = build.read(at);
                at = SpillFile.after(at, block);
                part.build(block);
            }
            part.built();
            eachProbe(probe, record -> part.probe(record, pairs));
            part.finish(pairs);
        }
    }

    private void joinMemoryFulls(SpillFile build, SpillFile probe, Pairs pairs) {
        long at = 0;
        while (at < build.size()) {
            Block block = build.read(at);
            table.force(block);
            at = SpillFile.after(at, block);
            while (at < build.size()) {
                Block more = build.read(at);
                if (!table.add(more)) {
                    space.pool().give(more);
                    break;
                }
                at = SpillFile.after(at, more);
            }
            table.index();
            eachProbe(
                    probe,
                    record -> {
                        long hash = probeHash.hash(record);
                        for (int i = table.find(record, hash); i != 0; i = table.next(i)) {
                            pairs.pair(table.at(i), record);
                        }
                    });
            table.clear();
        }
    }

    private interface Probe {
        void record(RecordView record);
    }

    private void eachProbe(SpillFile file, Probe probe) {
        try (SpilledStream stream =
                new SpilledStream(file, 0, file.size(), probeType, space.pool())) {
            int untilCheck = 0;
            for (RecordView record = stream.next(); record != null; record = stream.next()) {
                if (untilCheck-- == 0) {
                    space.control().check();
                    untilCheck = Workspace.RECORDS_BETWEEN_CHECKS;
                }
                probe.record(record);
            }
        }
    }

    private static SpillPartitions files(@Nullable SpillPartitions files) {
        if (files == null) {
            throw new IllegalStateException("nothing was spilled");
        }
        return files;
    }

    @Override
    public void close() {
        table.clear();
        if (builds != null) {
            builds.close();
        }
        if (probes != null) {
            probes.close();
        }
    }
}
