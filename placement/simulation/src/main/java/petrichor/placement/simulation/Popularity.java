package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws from a Zipf distribution whose ranks are assigned at random. Immutable. */
final class Popularity {
    private final double[] until;
    private final int[] items;

    Popularity(int count, double exponent, SplittableRandom random) {
        until = new double[count + 1];
        items = new int[count];
        for (int rank = 0; rank < count; rank++) {
            until[rank + 1] = until[rank] + Math.pow(rank + 1.0, -exponent);
            int other = random.nextInt(rank + 1);
            items[rank] = items[other];
            items[other] = rank;
        }
    }

    int draw(SplittableRandom random) {
        int count = items.length;
        double wanted = random.nextDouble() * until[count];
        int found = Arrays.binarySearch(until, wanted);
        return items[Math.clamp(found >= 0 ? found : -found - 2, 0, count - 1)];
    }
}
