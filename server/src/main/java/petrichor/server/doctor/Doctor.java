package petrichor.server.doctor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.PetrichorException;
import petrichor.coordination.Coordination;
import petrichor.coordination.Member;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreUrl;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.ClusterStart;
import petrichor.server.data.StoreLeases;
import petrichor.server.data.StorePlugins;
import petrichor.transactions.databases.StoreIdentity;
import petrichor.transactions.databases.StoreLease;

/**
 * Checks whether a server with this configuration could start and serve on this machine. Changes
 * nothing: an empty store stays empty. The other checks run even if one fails.
 */
public final class Doctor {
    private static final String STORE = "store";
    private static final String COORDINATION = "coordination";

    private final ServerConfig config;
    private final List<Finding> found = new ArrayList<>();

    private Doctor(ServerConfig config) {
        this.config = config;
    }

    public static List<Finding> examine(ServerConfig config) {
        Doctor doctor = new Doctor(config);
        doctor.found.addAll(Checks.machine());
        doctor.listen();
        doctor.secrets();
        if (config.store().url().isEmpty() && !config.store().memory()) {
            doctor.found.addAll(Checks.dataFolder(config.store().data()));
        }
        doctor.stores();
        doctor.found.add(Checks.apps());
        return List.copyOf(doctor.found);
    }

    private void listen() {
        try {
            found.add(Checks.port(ListenAddress.of(config), config.server().port()));
        } catch (PetrichorException refused) {
            found.add(failed("port", refused, "see the message above"));
        }
        config.tls()
                .ifPresent(
                        files -> {
                            found.add(
                                    Checks.certificate(
                                            "tls-certificate",
                                            files.certificateChain(),
                                            Instant.now()));
                            found.add(Checks.secret("tls-key", files.privateKey()));
                        });
        config.cluster()
                .certificates()
                .ifPresent(
                        files -> {
                            found.add(
                                    Checks.certificate(
                                            "cluster-certificate",
                                            files.certificate(),
                                            Instant.now()));
                            found.add(Checks.secret("cluster-key", files.key()));
                        });
    }

    private void secrets() {
        config.auth().tokenFile().ifPresent(file -> found.add(Checks.secret("token-file", file)));
        config.auth().tokensFile().ifPresent(file -> found.add(Checks.secret("tokens-file", file)));
    }

    private void stores() {
        Optional<Coordination> coordination = Optional.empty();
        try {
            coordination = ClusterStart.coordination(config);
            coordination.ifPresent(this::members);
        } catch (PetrichorException failed) {
            found.add(
                    failed(
                            COORDINATION,
                            failed,
                            "check cluster.coordination, and that ZooKeeper runs"));
        }
        try {
            Optional<Coordination> with = coordination;
            config.store().url().ifPresent(url -> store(STORE, url, with));
            config.store()
                    .placed()
                    .stores()
                    .forEach(
                            (name, store) ->
                                    store(STORE + " " + name, store.address(), Optional.empty()));
        } finally {
            coordination.ifPresent(Coordination::close);
        }
    }

    private void members(Coordination coordination) {
        List<Member> members = coordination.members();
        found.add(
                Finding.ok(
                        COORDINATION,
                        "ZooKeeper answers and lists " + members.size() + " servers"));
        members.forEach(member -> found.add(Checks.clock(member.address())));
    }

    /**
     * @param coordination empty for a store whose owner is not checked
     */
    private void store(String check, StoreUrl url, Optional<Coordination> coordination) {
        long started = System.nanoTime();
        try (KeyValueStore store = StorePlugins.installed().openIfInitialized(url).orElse(null)) {
            long millis = (System.nanoTime() - started) / 1_000_000;
            if (store == null) {
                found.add(
                        Finding.ok(
                                check,
                                url
                                        + " answers (in "
                                        + millis
                                        + " ms) and is empty; the first start of a server creates"
                                        + " its tables"));
                return;
            }
            StoreLimits limits = store.capabilities().limits();
            found.add(
                    Finding.ok(
                            check,
                            url
                                    + " answers (opened in "
                                    + millis
                                    + " ms) and accepts keys up to "
                                    + limits.keyBytesMax()
                                    + " bytes and values up to "
                                    + limits.valueBytesMax()
                                    + " bytes"));
            if (check.equals(STORE)) {
                identity(store, coordination);
            }
        } catch (PetrichorException failed) {
            found.add(failed(check, failed, "check the address and the server"));
        }
    }

    /**
     * Checks the store's owner: a server outside the owner's cluster would be refused at its start.
     */
    private void identity(KeyValueStore store, Optional<Coordination> coordination) {
        Optional<StoreIdentity> owner = StoreLease.identityOf(store);
        String who = owner.map(StoreIdentity::description).orElse("no server");
        boolean ownedByCluster = owner.isPresent() && !owner.get().exclusive();
        String check = "store-owner";
        String what = "the store belongs to " + who;
        String remedy =
                "set cluster.coordination to that of its owner, or reassign the store with"
                        + " `petrichor store adopt` while all servers are stopped";
        if (coordination.isPresent()) {
            boolean ours =
                    owner.isEmpty()
                            || owner.get()
                                    .cluster()
                                    .equals(StoreLeases.clusterId(coordination.get()));
            found.add(ours ? Finding.ok(check, what) : Finding.failed(check, what, remedy));
        } else if (config.cluster().coordination().isEmpty()) {
            found.add(
                    ownedByCluster ? Finding.failed(check, what, remedy) : Finding.ok(check, what));
        }
    }

    private static Finding failed(String check, PetrichorException why, String remedy) {
        return Finding.failed(check, String.valueOf(why.getMessage()), remedy);
    }
}
