package petrichor.bench.sql.tpcc;

/**
 * The size of the data.
 *
 * @param customers of a district; as many orders, of which the last {@code undelivered} are new
 */
public record TpccScale(int warehouses, int items, int customers, int undelivered) {
    public static final int DISTRICTS = 10;

    public TpccScale {
        if (warehouses < 1 || items < 1 || undelivered < 1 || undelivered > customers) {
            throw new IllegalArgumentException("sizes must be positive, and not all orders new");
        }
    }

    /** What the specification demands. */
    public static TpccScale full(int warehouses) {
        return new TpccScale(warehouses, 100_000, 3_000, 900);
    }
}
