package petrichor.server;

import petrichor.cluster.ClusterNode;

/** What a server that is one of several tells of its part. */
final class ClusterMetrics {
    private ClusterMetrics() {}

    static void write(StringBuilder out, ClusterNode node) {
        node.rpc()
                .authentication()
                .certificates()
                .ifPresent(
                        certificates ->
                                MetricsPage.gauge(
                                        out,
                                        "petrichor_cluster_certificate_expiry_seconds",
                                        "End of the validity of the certificate for other servers,"
                                                + " seconds since 1970.",
                                        certificates.validUntil().getEpochSecond()));
        ClusterNode.Figures figures = node.figures();
        MetricsPage.gauge(
                out, "petrichor_cluster_members", "Servers of the cluster.", figures.members());
        MetricsPage.gauge(
                out,
                "petrichor_cluster_databases_owned",
                "Databases that this server owns.",
                figures.owned());
        MetricsPage.counter(
                out,
                "petrichor_cluster_forwarded_total",
                "Calls forwarded to the owners of their databases.",
                figures.forwarded());
        MetricsPage.counter(
                out,
                "petrichor_cluster_repeated_total",
                "Calls that had to look up the owner again.",
                figures.repeated());
        MetricsPage.counter(
                out,
                "petrichor_cluster_handed_over_total",
                "Databases handed over to servers that joined.",
                figures.handedOver());
        MetricsPage.counter(
                out,
                "petrichor_cluster_version_questions_total",
                "Read versions requested from owners; several reads share one request.",
                figures.versionQuestions());
    }
}
