package petrichor.cloud.leasing;

import petrichor.cloud.InstanceType;
import petrichor.cloud.Purchase;

/** A machine assigned to a stage. */
public record Leased(String instance, InstanceType type, Purchase purchase) {}
