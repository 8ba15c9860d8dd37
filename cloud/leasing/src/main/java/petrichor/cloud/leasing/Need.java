package petrichor.cloud.leasing;

import petrichor.cloud.InstanceType;
import petrichor.cloud.Purchase;

/**
 * Machines that a stage needs.
 *
 * @param name unique within the stage
 * @param lazy leased only when the stage asks for them, after its start: for the part after a
 *     blocking operator
 * @param losable they hold no unique results, so that spot machines are acceptable
 */
public record Need(String name, Wish wish, int count, boolean lazy, boolean losable) {
    /** Which machines will do. */
    public sealed interface Wish {
        boolean accepts(InstanceType type);

        /** This type and no other. */
        record Named(String type) implements Wish {
            @Override
            public boolean accepts(InstanceType offered) {
                return offered.name().equals(type);
            }
        }

        /** Any type that is large enough. */
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
