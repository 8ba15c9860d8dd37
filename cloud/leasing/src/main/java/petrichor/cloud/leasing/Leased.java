package petrichor.cloud.leasing;

import petrichor.cloud.InstanceType;
import petrichor.cloud.Purchase;

/** A machine that a stage has. */
public record Leased(String instance, InstanceType type, Purchase purchase) {}
