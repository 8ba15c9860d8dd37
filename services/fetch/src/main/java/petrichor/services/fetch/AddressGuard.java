package petrichor.services.fetch;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import petrichor.services.fetch.FetchResult.Reason;

/**
 * Resolves a host and keeps the addresses that apps may connect to: public ones that are not
 * addresses of the platform, and those of {@link FetchAllowlist}. Thread-safe.
 */
public final class AddressGuard {
    /** Asks for the addresses of a host; tests replace it. */
    public interface Resolver {
        Resolver SYSTEM = InetAddress::getAllByName;

        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    private final FetchAllowlist allowed;
    private final Predicate<InetAddress> ours;
    private final Resolver resolver;
    private final ExecutorService lookups;

    /**
     * @param platform whether an address belongs to the platform, such as another server of the
     *     cluster; those of this machine are known
     * @param lookups platform threads, since the resolver blocks the thread of the operating system
     */
    public AddressGuard(
            FetchAllowlist allowed,
            Predicate<InetAddress> platform,
            Resolver resolver,
            ExecutorService lookups) {
        this(allowed, platform, AddressGuard::isOfThisMachine, resolver, lookups);
    }

    AddressGuard(
            FetchAllowlist allowed,
            Predicate<InetAddress> platform,
            Predicate<InetAddress> thisMachine,
            Resolver resolver,
            ExecutorService lookups) {
        this.allowed = allowed;
        this.ours = thisMachine.or(platform);
        this.resolver = resolver;
        this.lookups = lookups;
    }

    FetchAllowlist allowed() {
        return allowed;
    }

    /**
     * The permitted addresses of a host, in the order of the resolver.
     *
     * @throws FetchFailure DNS_ERROR if it has no address, FETCH_ERROR if none is permitted
     */
    List<InetAddress> resolve(String host, int port) {
        List<InetAddress> permitted =
                Arrays.stream(lookUp(host))
                        .filter(address -> permits(host, address, port))
                        .toList();
        if (permitted.isEmpty()) {
            throw new FetchFailure(
                    Reason.FETCH_ERROR,
                    "the host "
                            + host
                            + " has no public address; an operator can permit it with"
                            + " fetch.allow");
        }
        return permitted;
    }

    private boolean permits(String host, InetAddress address, int port) {
        return allowed.permits(host, address, port)
                || (TargetUrl.isAllowed(port)
                        && PublicAddresses.contains(address)
                        && !ours.test(address));
    }

    static boolean isOfThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true; // unknown: refuse
        }
    }

    /**
     * Waits even if the fetch is cancelled: the fetch keeps its permit as long as its lookup keeps
     * a thread.
     */
    private InetAddress[] lookUp(String host) {
        Future<InetAddress[]> lookup = lookups.submit(() -> resolver.resolve(host));
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    InetAddress[] addresses = lookup.get();
                    if (interrupted) {
                        throw new FetchFailure(
                                Reason.DEADLINE_EXCEEDED, "the lookup took too long");
                    }
                    return addresses;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException | CancellationException e) {
                    throw new FetchFailure(
                            Reason.DNS_ERROR, "the host " + host + " has no address");
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
