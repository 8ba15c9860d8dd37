package petrichor.cloud.leasing;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.cloud.Cloud;
import petrichor.cloud.Money;

/**
 * The total cost of the machines of one type.
 *
 * @param machines number of machines leased, concurrently or one after another
 */
public record TypeCost(String type, int machines, Money paid) {
    /** Ordered by name. */
    public static List<TypeCost> of(List<LeaseLine> lines, Cloud cloud, Instant now) {
        Map<String, TypeCost> types = new TreeMap<>();
        for (LeaseLife life : LeaseLife.of(lines, now)) {
            if (!life.uses().isEmpty()) {
                types.merge(
                        life.first().type(),
                        new TypeCost(life.first().type(), 1, life.cost(cloud)),
                        TypeCost::plus);
            }
        }
        return new ArrayList<>(types.values());
    }

    private TypeCost plus(TypeCost other) {
        return new TypeCost(type, machines + other.machines, paid.plus(other.paid));
    }

    @Override
    public String toString() {
        return machines + " " + type + " " + paid;
    }
}
