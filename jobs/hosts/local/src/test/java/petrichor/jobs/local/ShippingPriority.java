package petrichor.jobs.local;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;

/**
 * TPC-H's third query at a small scale: the ten unshipped orders of the highest value. It uses
 * integers, so that the result does not depend on the order of addition.
 */
final class ShippingPriority {
    private static final int CUSTOMERS = 1_500;
    private static final int ORDERS = 10_000;
    private static final int ITEMS = 30_000;
    private static final int DAYS = 1_000;
    private static final int FIRST = 10;

    private static final RecordType ORDER =
            RecordType.of(Field.int64("orderkey"), Field.int64("day"));
    private static final RecordType SALE =
            RecordType.of(Field.int64("orderkey"), Field.int64("day"), Field.int64("revenue"));

    private ShippingPriority() {}

    private record Sold(long order, long day, long revenue) {}

    static ExampleJob job(Random random, Path folder) throws IOException {
        boolean[] building = new boolean[CUSTOMERS];
        List<String> customers = new ArrayList<>();
        for (int i = 0; i < CUSTOMERS; i++) {
            building[i] = random.nextInt(5) == 0;
            customers.add(i + "," + (building[i] ? "BUILDING" : "MACHINERY"));
        }
        long[] ordered = new long[ORDERS];
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            int customer = random.nextInt(CUSTOMERS);
            long day = random.nextInt(DAYS);
            ordered[i] = building[customer] && day < DAYS / 2 ? day : -1;
            orders.add(i + "," + customer + "," + day);
        }
        Map<Long, Long> revenues = new TreeMap<>();
        List<String> items = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            int order = random.nextInt(ORDERS);
            long price = 100L + random.nextInt(100_000);
            long discount = random.nextInt(11);
            long shipped = random.nextInt(DAYS);
            if (ordered[order] >= 0 && shipped >= DAYS / 2) {
                revenues.merge((long) order, price * (100 - discount), Long::sum);
            }
            items.add(order + "," + price + "," + discount + "," + shipped);
        }
        List<String> expected =
                revenues.entrySet().stream()
                        .map(
                                each ->
                                        new Sold(
                                                each.getKey(),
                                                ordered[each.getKey().intValue()],
                                                each.getValue()))
                        .sorted(
                                Comparator.comparingLong(Sold::revenue)
                                        .reversed()
                                        .thenComparingLong(Sold::order))
                        .limit(FIRST)
                        .map(sold -> sold.order() + "," + sold.day() + "," + sold.revenue())
                        .toList();
        return ExampleJob.of(plan(folder, customers, orders, items), folder, expected);
    }

    private static Plan plan(
            Path folder, List<String> customers, List<String> orders, List<String> items)
            throws IOException {
        Plan plan = ExampleJob.plan("shipping priority");
        DataSet open =
                plan.read(
                                ExampleJob.csv(
                                        folder,
                                        "orders",
                                        orders,
                                        Field.int64("orderkey"),
                                        Field.int64("custkey"),
                                        Field.int64("day")))
                        .filter("ordered before", o -> o.int64(2) < DAYS / 2, "day");
        DataSet late =
                plan.read(
                                ExampleJob.csv(
                                        folder,
                                        "items",
                                        items,
                                        Field.int64("l_orderkey"),
                                        Field.int64("price"),
                                        Field.int64("discount"),
                                        Field.int64("shipped")))
                        .filter("shipped after", l -> l.int64(3) >= DAYS / 2, "shipped");
        plan.read(
                        ExampleJob.csv(
                                folder,
                                "customers",
                                customers,
                                Field.int64("c_custkey"),
                                Field.text("segment")))
                .filter("building", c -> c.text(1).equals("BUILDING"), "segment")
                .match(open, "c_custkey", "custkey")
                .with(
                        "orders of customers",
                        ORDER,
                        (c, o, out) -> out.record().copy(0, o, 0).copy(1, o, 2).emit())
                .match(late, "orderkey", "l_orderkey")
                .with(
                        "items of orders",
                        SALE,
                        (o, l, out) ->
                                out.record()
                                        .copy(0, o, 0)
                                        .copy(1, o, 1)
                                        .int64(2, l.int64(1) * (100 - l.int64(2)))
                                        .emit())
                .groupBy("orderkey", "day")
                .aggregate(Aggregate.sum(2))
                .sortBy(Key.descending(2).then(0, Order.ASCENDING))
                .first(FIRST)
                .write(ExampleJob.csv(folder));
        return plan;
    }
}
