package petrichor.apps.hosting;

/**
 * What the instances of an app use on this server.
 *
 * @param instances that run, start or end
 * @param memoryBytes their limits of memory together
 * @param refused starts that a quota refused, since this server started
 */
public record InstanceUse(int instances, long memoryBytes, long refused) {}
