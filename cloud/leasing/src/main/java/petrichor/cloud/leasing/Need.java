package petrichor.cloud.leasing;

import petrichor.cloud.InstanceType;
import petrichor.cloud.Purchase;

/**
 * Machines that a stage needs.
 *
 * @param name unique within the stage
 * @param lazy leased only when the stage requests them after its start, such as for the part after
 *     a blocking operator
 * @param losable whether spot machines are acceptable, because the machines hold no unique results
 */
public record Need(String name, Wish wish, int count, boolean lazy, boolean losable) {
    /** The acceptable machines. */
    public sealed interface Wish {
        boolean accepts(InstanceType type);

        /** Exactly this type. */
        record Named(String type) implements Wish {
            @Override
            public boolean accepts(InstanceType offered) {
                return offered.name().equals(type);
            }
        }

        /** Any type with at least these resources. */
        record AtLeast(int cores, long memoryBytes, long diskBytes) implements Wish {
            @Override
            public boolean accepts(InstanceType type) {
                return type.covers(cores, memoryBytes, diskBytes);
            }
        }
    }

    public Need {
        if (!name.matches("[A-Za-z0-9._-]{1,60}") || count < 1) {
            throw new IllegalArgumentException("invalid demand: '" + name + "', " + count);
        }
    }

    public static Need of(String name, Wish wish, int count) {
        return new Need(name, wish, count, false, false);
    }

    boolean accepts(InstanceType type, Purchase purchase) {
        return wish.accepts(type) && (losable || purchase == Purchase.ON_DEMAND);
    }
}
