package petrichor.jobs.pact.compiler;

import java.util.List;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Shipping;

/**
 * The cost of shipping, sorting and hashing.
 *
 * @param memoryBytes memory in which one subtask sorts or hashes without spilling
 * @param networkNanosPerByte cost of sending a byte to another subtask
 * @param diskNanosPerByte cost of writing or reading a byte of a spill file
 * @param perturbation 0 for the real cost; otherwise the seed of a distortion by which tests reach
 *     plans that would never be the cheapest
 */
public record CostModel(
        double memoryBytes,
        double networkNanosPerByte,
        double diskNanosPerByte,
        long perturbation) {
    /**
     * For one machine, where a sent byte is written, handed over and read: measured on two cores it
     * costs nearer to 1 ns than to 10, but a plan that moves little data also scales better.
     */
    public static final CostModel DEFAULT = new CostModel(256 << 20, 4, 4, 0);

    private static final double COMPARE_NANOS = 4;
    private static final double HASH_NANOS = 30;
    private static final double MOVE_NANOS = 10;

    public double nanos(Cost cost) {
        return cost.networkBytes() * networkNanosPerByte
                + cost.diskBytes() * diskNanosPerByte
                + cost.cpuNanos();
    }

    Cost shipping(Shipping shipping, Size size, int from, int to) {
        double bytes = size.bytes();
        double moved = size.records() * MOVE_NANOS;
        // With an even distribution, one of this many parts stays on its subtask.
        double remote = 1 - 1.0 / Math.max(from, to);
        return switch (shipping) {
            case Shipping.Forward() -> Cost.NONE;
            case Shipping.Rebalance() -> new Cost(bytes * remote, 0, moved);
            case Shipping.HashPartition _ -> new Cost(bytes * remote, 0, moved);
            // No record can be sent before the sample is complete: part of the data is buffered.
            case Shipping.RangePartition _ -> new Cost(bytes * 1.5 * remote, 0, 2 * moved);
            case Shipping.Broadcast() -> new Cost(bytes * (to - 1), 0, moved * to);
            case Shipping.FragmentAndReplicate grid -> {
                int copies = grid.side().input() == 0 ? grid.columns() : grid.rows();
                yield new Cost(bytes * Math.max(0, copies - remote), 0, moved * copies);
            }
        };
    }

    Cost ordering(InputOrder order, Size size, int subtasks) {
        return switch (order) {
            case InputOrder.AsTheyCome() -> Cost.NONE;
            case InputOrder.Buffered() ->
                    new Cost(0, spilled(size, subtasks), size.records() * MOVE_NANOS);
            case InputOrder.Merged _ -> Cost.cpu(size.records() * COMPARE_NANOS);
            case InputOrder.Sorted _ -> {
                double each = Math.max(2, size.records() / subtasks);
                double compares = size.records() * Math.log(each) / Math.log(2);
                yield new Cost(
                        0,
                        spilled(size, subtasks),
                        compares * COMPARE_NANOS + size.records() * MOVE_NANOS);
            }
        };
    }

    /** Builds one hash table and probes it. */
    Cost hashJoin(Size build, Size probe, int subtasks) {
        double spilled = spilled(build, subtasks);
        // The probe side is spilled in the same proportion as the table.
        double share = build.bytes() == 0 ? 0 : spilled / (2 * build.bytes());
        return new Cost(
                0,
                spilled + 2 * probe.bytes() * share,
                build.records() * 2 * HASH_NANOS + probe.records() * HASH_NANOS);
    }

    Cost hashAggregate(Size input, Size groups, int subtasks) {
        return new Cost(
                0,
                spilled(groups, subtasks),
                input.records() * HASH_NANOS + groups.records() * MOVE_NANOS);
    }

    /** A pass over one or two ordered inputs. */
    Cost merge(double records) {
        return Cost.cpu(records * COMPARE_NANOS);
    }

    /**
     * Nested loops; the inner side is read again for every record of the outer, or for every chunk
     * of it that fits into memory.
     */
    Cost nestedLoop(Size outer, Size inner, boolean blocked, int subtasks) {
        double pairs = outer.records() * inner.records() / subtasks;
        boolean fits = inner.bytes() / subtasks <= memoryBytes;
        double rounds =
                blocked
                        ? Math.max(1, outer.bytes() / subtasks / memoryBytes)
                        : outer.records() / subtasks;
        double disk = fits ? 0 : inner.bytes() * (1 + rounds);
        // Blocks of the outer side pay off where the inner does not fit into memory; otherwise they
        // only cost work.
        double blocks = blocked ? outer.records() * MOVE_NANOS : 0;
        // The inner side is buffered first.
        double kept = inner.records() * MOVE_NANOS;
        return new Cost(0, disk, pairs * COMPARE_NANOS + blocks + kept);
    }

    private double spilled(Size size, int subtasks) {
        double each = size.bytes() / subtasks;
        return each <= memoryBytes ? 0 : 2 * (each - memoryBytes) * subtasks;
    }

    /**
     * When perturbed, a factor between 1/30 and 30 that depends only on the choice; otherwise 1.
     */
    double distortion(int node, String strategy, List<DataTransfer> ways) {
        if (perturbation == 0) {
            return 1;
        }
        var choice =
                node
                        + strategy
                        + ways.stream().map(way -> way.shipping() + " " + way.order()).toList();
        long mixed =
                (perturbation * 0x9E3779B97F4A7C15L) ^ (choice.hashCode() * 0xBF58476D1CE4E5B9L);
        mixed = (mixed ^ (mixed >>> 31)) * 0x94D049BB133111EBL;
        double even = (mixed >>> 11) * 0x1.0p-53;
        return Math.pow(30, 2 * even - 1);
    }

    public CostModel perturbed(long seed) {
        return new CostModel(memoryBytes, networkNanosPerByte, diskNanosPerByte, seed);
    }
}
