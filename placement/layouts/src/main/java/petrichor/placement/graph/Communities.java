package petrichor.placement.graph;

import java.util.Arrays;
import java.util.SplittableRandom;
import petrichor.base.PetrichorException;

/**
 * Generates follow graphs with communities whose sizes follow a power law, and in which a known
 * share of the edges leaves the community of their source. The numbers of followees follow a power
 * law, too, and popular vertices are followed more often.
 *
 * @param vertices number of users
 * @param mixing share of edges that leave the community, from 0 to 1
 * @param degreeMean mean number of followees
 * @param communitySizeMin size of the smallest communities
 * @param communitySizeMax size of the largest ones
 * @param seed the same graph for the same seed
 */
public record Communities(
        int vertices,
        double mixing,
        double degreeMean,
        int communitySizeMin,
        int communitySizeMax,
        long seed) {
    /** Exponents of the distributions of sizes and degrees, as in common benchmark graphs. */
    private static final double SIZE_EXPONENT = 1.5;

    private static final double DEGREE_EXPONENT = 2.5;
    private static final double POPULARITY_EXPONENT = 2.5;
    private static final int TRIES_MAX = 20;

    /** A graph and the community of each vertex. */
    public record Generated(Graph graph, int[] community, int communities) {}

    public Communities {
        if (vertices < 2
                || !(mixing >= 0 && mixing <= 1)
                || !(degreeMean >= 1)
                || communitySizeMin < 2
                || communitySizeMax < communitySizeMin) {
            throw PetrichorException.invalid(
                    "a graph has at least 2 vertices and a mean degree of at least 1, its mixing is"
                            + " from 0 to 1, and its communities have at least 2 vertices;"
                            + " vertices: {vertices}, mixing: {mixing}, mean degree: {degree},"
                            + " communities: {min} to {max}",
                    "vertices",
                    vertices,
                    "mixing",
                    mixing,
                    "degree",
                    degreeMean,
                    "min",
                    communitySizeMin,
                    "max",
                    communitySizeMax);
        }
    }

    public Generated generate() {
        SplittableRandom random = new SplittableRandom(seed);
        int[] order = shuffled(random);
        int[] community = new int[vertices];
        int[] starts = new int[vertices + 1];
        int communities = 0;
        for (int at = 0; at < vertices; communities++) {
            double size = powerLaw(random, SIZE_EXPONENT, communitySizeMin, communitySizeMax);
            int end = Math.min(vertices, at + (int) Math.round(size));
            starts[communities] = at;
            for (; at < end; at++) {
                community[order[at]] = communities;
            }
        }
        starts[communities] = vertices;
        // A vertex is drawn in proportion to its popularity, inside a community and from all.
        double[] until = new double[vertices + 1];
        for (int at = 0; at < vertices; at++) {
            until[at + 1] = until[at] + powerLaw(random, POPULARITY_EXPONENT, 1, vertices);
        }
        int capacity = (int) Math.min(Integer.MAX_VALUE - 8L, (long) (vertices * degreeMean * 2));
        int[] from = new int[capacity];
        int[] to = new int[capacity];
        int[] followed = new int[vertices]; // the last follower, plus 1
        int edges = 0;
        double degreeMin = degreeMean * (DEGREE_EXPONENT - 2) / (DEGREE_EXPONENT - 1);
        for (int vertex = 0; vertex < vertices; vertex++) {
            double drawn = powerLaw(random, DEGREE_EXPONENT, degreeMin, vertices / 4.0);
            int degree = (int) Math.max(1, Math.round(drawn));
            int own = community[vertex];
            int start = starts[own];
            int end = starts[own + 1];
            for (int k = 0; k < degree && edges < capacity; k++) {
                boolean leaves = random.nextDouble() < mixing;
                // A community may have too few members for all followees.
                for (int tries = 0; tries < TRIES_MAX; tries++) {
                    int position =
                            leaves
                                    ? draw(random, until, 0, vertices)
                                    : draw(random, until, start, end);
                    int target = order[position];
                    boolean there = leaves == (community[target] != own);
                    if (there && target != vertex && followed[target] != vertex + 1) {
                        followed[target] = vertex + 1;
                        from[edges] = vertex;
                        to[edges++] = target;
                        break;
                    }
                }
            }
        }
        Graph graph = Graph.of(vertices, Arrays.copyOf(from, edges), Arrays.copyOf(to, edges));
        return new Generated(graph, community, communities);
    }

    private static int draw(SplittableRandom random, double[] until, int start, int end) {
        double wanted = until[start] + random.nextDouble() * (until[end] - until[start]);
        int found = Arrays.binarySearch(until, start, end, wanted);
        return Math.clamp(found >= 0 ? found : -found - 2, start, end - 1);
    }

    private int[] shuffled(SplittableRandom random) {
        int[] order = new int[vertices];
        for (int at = 0; at < vertices; at++) {
            int other = random.nextInt(at + 1);
            order[at] = order[other];
            order[other] = at;
        }
        return order;
    }

    /** By inversion of the distribution function. */
    static double powerLaw(SplittableRandom random, double exponent, double min, double max) {
        double power = 1 - exponent;
        double low = Math.pow(min, power);
        double high = Math.pow(Math.max(min, max), power);
        return Math.pow(low + random.nextDouble() * (high - low), 1 / power);
    }
}
