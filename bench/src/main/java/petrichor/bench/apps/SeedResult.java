package petrichor.bench.apps;

/**
 * A load over one datastore.
 *
 * @param instanceHours in units of the class F1
 */
record SeedResult(String store, SeedLoad load, UserRamp ramp, double instanceHours) {
    HostingPrices.Bill bill(HostingPrices prices) {
        return prices.bill(
                load,
                instanceHours,
                ramp.answers().size() - ramp.failed(),
                ramp.bytesPerAnswer(),
                ramp.end().perSecond());
    }
}
