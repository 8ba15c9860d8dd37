package petrichor.cloud.leasing;

import java.util.ArrayList;
import java.util.List;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.CloudLimits;
import petrichor.cloud.Description;
import petrichor.cloud.InstanceType;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.Listing;
import petrichor.cloud.TerminateResult;

/** A cloud that lists one unreadable machine, and fails when asked for it. */
final class CloudWithABadRow implements Cloud {
    private static final String BAD = "i-bad";

    private final Cloud cloud;

    CloudWithABadRow(Cloud cloud) {
        this.cloud = cloud;
    }

    @Override
    public String name() {
        return cloud.name();
    }

    @Override
    public CloudLimits limits() {
        return cloud.limits();
    }

    @Override
    public Billing billing() {
        return cloud.billing();
    }

    @Override
    public List<InstanceType> types() {
        return cloud.types();
    }

    @Override
    public LaunchResult launch(LaunchRequest request) {
        return cloud.launch(request);
    }

    @Override
    public TerminateResult terminate(String instance) {
        return cloud.terminate(instance);
    }

    @Override
    public Listing list(String owner) {
        if (cloud.list(owner) instanceof Listing.Rows rows) {
            List<Listing.Row> all = new ArrayList<>();
            all.add(new Listing.Row.Garbled(BAD, "half of it is missing"));
            all.addAll(rows.rows());
            return new Listing.Rows(all, rows.complete());
        }
        return new Listing.NotNow("not now");
    }

    @Override
    public Description describe(String instance) {
        if (instance.equals(BAD)) {
            throw new IllegalStateException("cannot be read");
        }
        return cloud.describe(instance);
    }

    @Override
    public void close() {
        cloud.close();
    }
}
