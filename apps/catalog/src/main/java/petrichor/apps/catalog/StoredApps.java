package petrichor.apps.catalog;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.stored.StoredApp;
import petrichor.apps.catalog.stored.StoredConfiguration;
import petrichor.apps.catalog.stored.StoredDispatch;
import petrichor.apps.catalog.stored.StoredDomain;
import petrichor.apps.catalog.stored.StoredService;
import petrichor.apps.catalog.stored.StoredTraffic;
import petrichor.apps.catalog.stored.StoredVersion;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;

/**
 * Keys and values of the rows of apps, of type {@code A}, and of their revision, of type {@code R}.
 */
final class StoredApps {
    private static final int TYPE = 'A';
    private static final int REVISION = 'R';

    private StoredApps() {}

    static byte[] keys() {
        return new OrderedWriter().put(TYPE).toBytes();
    }

    static byte[] key(String app) {
        return new OrderedWriter().put(TYPE).putString(app).toBytes();
    }

    /** Of the row with the revision of all apps. */
    static byte[] revision() {
        return new OrderedWriter().put(REVISION).toBytes();
    }

    static long revision(byte[] value) {
        return new OrderedReader(value, 0).takeLong();
    }

    /** The revision after a change. */
    static byte[] after(@Nullable Row revision) {
        long before = revision == null ? 0 : revision(revision.value());
        return new OrderedWriter().putLong(before + 1).toBytes();
    }

    static byte[] encode(AppRecord app) {
        return StoredApp.newBuilder()
                .setName(app.name())
                .addAllServices(app.services().values().stream().map(StoredApps::stored).toList())
                .setConfiguration(stored(app.configuration()))
                .build()
                .toByteArray();
    }

    private static StoredConfiguration stored(AppConfiguration configuration) {
        return StoredConfiguration.newBuilder()
                .addAllDispatch(
                        configuration.dispatch().stream()
                                .map(
                                        rule ->
                                                StoredDispatch.newBuilder()
                                                        .setUrl(rule.url())
                                                        .setService(rule.service())
                                                        .build())
                                .toList())
                .addAllQueues(configuration.queues())
                .putAllVariables(configuration.variables().plain())
                .putAllSecrets(configuration.variables().secrets())
                .addAllDomains(
                        configuration.domains().stream()
                                .map(
                                        domain ->
                                                StoredDomain.newBuilder()
                                                        .setHost(domain.host())
                                                        .setService(domain.service())
                                                        .build())
                                .toList())
                .build();
    }

    private static AppConfiguration configuration(StoredConfiguration stored) {
        return new AppConfiguration(
                stored.getDispatchList().stream()
                        .map(
                                rule ->
                                        new AppConfiguration.DispatchRoute(
                                                rule.getUrl(), rule.getService()))
                        .toList(),
                stored.getQueuesList(),
                new AppVariables(stored.getVariablesMap(), stored.getSecretsMap()),
                stored.getDomainsList().stream()
                        .map(domain -> new AppDomain(domain.getHost(), domain.getService()))
                        .toList());
    }

    private static StoredService stored(ServiceRecord service) {
        StoredService.Builder stored =
                StoredService.newBuilder()
                        .setName(service.name())
                        .addAllVersions(
                                service.versions().values().stream()
                                        .map(StoredApps::stored)
                                        .toList())
                        .addAllFormer(service.former().stream().map(StoredApps::stored).toList());
        service.traffic().map(StoredApps::stored).ifPresent(stored::setTraffic);
        return stored.build();
    }

    private static StoredVersion stored(VersionRecord version) {
        return StoredVersion.newBuilder()
                .setName(version.name())
                .setSources(version.sources())
                .setDeployedMicros(version.origin().micros())
                .setDeployedBy(version.origin().by())
                .setServing(version.serving())
                .build();
    }

    private static StoredTraffic stored(Traffic traffic) {
        return StoredTraffic.newBuilder()
                .setBy(
                        switch (traffic.by()) {
                            case COOKIE -> StoredTraffic.By.COOKIE;
                            case IP -> StoredTraffic.By.IP;
                            case RANDOM -> StoredTraffic.By.RANDOM;
                        })
                .putAllShares(traffic.shares())
                .build();
    }

    static AppRecord decode(byte[] value) {
        try {
            StoredApp stored = StoredApp.parseFrom(value);
            return new AppRecord(
                    stored.getName(),
                    stored.getServicesList().stream()
                            .map(StoredApps::service)
                            .collect(Collectors.toMap(ServiceRecord::name, each -> each)),
                    configuration(stored.getConfiguration()));
        } catch (InvalidProtocolBufferException | PetrichorException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    damaged,
                    "the row of an app cannot be read; was it written by a newer version?");
        }
    }

    private static ServiceRecord service(StoredService stored) {
        Map<String, VersionRecord> versions =
                stored.getVersionsList().stream()
                        .map(StoredApps::version)
                        .collect(Collectors.toMap(VersionRecord::name, each -> each));
        List<Traffic> former = stored.getFormerList().stream().map(StoredApps::traffic).toList();
        return new ServiceRecord(
                stored.getName(),
                versions,
                stored.hasTraffic() ? Optional.of(traffic(stored.getTraffic())) : Optional.empty(),
                former);
    }

    private static VersionRecord version(StoredVersion stored) {
        return new VersionRecord(
                stored.getName(),
                stored.getSources(),
                new VersionRecord.Origin(stored.getDeployedMicros(), stored.getDeployedBy()),
                stored.getServing());
    }

    private static Traffic traffic(StoredTraffic stored) {
        return new Traffic(
                switch (stored.getBy()) {
                    case COOKIE -> Traffic.By.COOKIE;
                    case IP -> Traffic.By.IP;
                    case RANDOM, UNKNOWN, UNRECOGNIZED -> Traffic.By.RANDOM;
                },
                stored.getSharesMap());
    }
}
