package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;
import petrichor.base.PetrichorException;

/**
 * The two layers of the thesis behind seed 004, for comparison: nodes that hold soft state, as
 * simulated elsewhere, above a persistent layer without structure. A write reaches the persistent
 * layer by gossip: each node that receives it first passes it to some others. A node stores a tuple
 * if it is in the tuple's slice; slices divide the nodes. A tuple that the soft state does not have
 * is asked of random nodes until one of the slice answers.
 *
 * @param replicas nodes in a slice
 * @param fanout nodes to which each node passes a write
 */
public record TwoLayers(int replicas, int fanout) {
    /**
     * What the persistent layer costs.
     *
     * @param writeMessages of one write
     * @param reached nodes that a write reaches, as a share of all
     * @param stored writes that at least one node of their slice has stored, as a share of all
     * @param missMessages to find a tuple that the soft state does not have
     */
    public record Result(
            double writeMessages, double reached, double stored, double missMessages) {}

    public TwoLayers {
        if (replicas < 1 || fanout < 1) {
            throw PetrichorException.invalid(
                    "a slice has at least one node, and gossip reaches at least one; replicas:"
                            + " {replicas}, fanout: {fanout}",
                    "replicas",
                    replicas,
                    "fanout",
                    fanout);
        }
    }

    /**
     * @param nodes of the persistent layer
     * @param writes that are simulated
     */
    public Result run(int nodes, int writes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int slices = Math.max(1, nodes / replicas);
        long messages = 0;
        long reached = 0;
        long stored = 0;
        long asked = 0;
        int[] queue = new int[nodes];
        boolean[] has = new boolean[nodes];
        for (int write = 0; write < writes; write++) {
            Arrays.fill(has, false);
            int slice = random.nextInt(slices);
            int size = 1;
            queue[0] = random.nextInt(nodes);
            has[queue[0]] = true;
            for (int at = 0; at < size; at++) {
                for (int k = 0; k < fanout; k++) {
                    int other = random.nextInt(nodes);
                    messages++;
                    if (!has[other]) {
                        has[other] = true;
                        queue[size++] = other;
                    }
                }
            }
            reached += size;
            boolean kept = false;
            for (int at = 0; at < size; at++) {
                kept |= queue[at] % slices == slice;
            }
            stored += kept ? 1 : 0;
            boolean found = false;
            // Each question and its answer are messages; gossip lost the tuple if all were asked.
            for (int tries = 0; kept && !found && tries < nodes * slices; tries++) {
                int other = random.nextInt(nodes);
                asked++;
                found = has[other] && other % slices == slice;
            }
        }
        double count = Math.max(1, writes);
        return new Result(
                messages / count, reached / count / nodes, stored / count, 2 * asked / count);
    }
}
