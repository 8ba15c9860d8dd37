package petrichor.server.data;

import petrichor.cluster.ClusterNode;
import petrichor.server.metrics.Readings;

/** Metrics of a server that is a member of a cluster. */
final class ClusterReadings {
    private ClusterReadings() {}

    static void add(Readings readings, ClusterNode node) {
        node.rpc()
                .authentication()
                .certificates()
                .ifPresent(
                        certificates ->
                                readings.gauge(
                                        "petrichor_cluster_certificate_expiry_seconds",
                                        "End of the validity of the certificate for other servers,"
                                                + " seconds since 1970.",
                                        certificates.validUntil().getEpochSecond()));
        ClusterNode.ClusterMetrics metrics = node.metrics();
        readings.gauge("petrichor_cluster_members", "Servers of the cluster.", metrics.members());
        readings.gauge(
                "petrichor_cluster_databases_owned",
                "Databases that this server owns.",
                metrics.owned());
        readings.counter(
                "petrichor_cluster_forwarded_total",
                "Calls forwarded to the owners of their databases.",
                metrics.forwarded());
        readings.counter(
                "petrichor_cluster_repeated_total",
                "Calls that had to look up the owner again.",
                metrics.repeated());
        readings.counter(
                "petrichor_cluster_handed_over_total",
                "Databases handed over to servers that joined.",
                metrics.handedOver());
        readings.counter(
                "petrichor_cluster_version_questions_total",
                "Read versions requested from owners; several reads share one request.",
                metrics.versionQuestions());
    }
}
