package petrichor.testing.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;

import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;

/** The layers of the repository, from the packages at the bottom to the programs. */
final class Layers {
    private Layers() {}

    /** Each layer with those that may use it. */
    static LayeredArchitecture all() {
        return Architectures.layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("petrichor..")
                .withOptionalLayers(true)
                .layer("base")
                .definedBy("petrichor.base..", "petrichor.yaml..", "petrichor.charts..")
                .layer("kv")
                .definedBy("petrichor.kv..")
                .layer("transactions")
                .definedBy("petrichor.transactions..")
                .layer("entities")
                .definedBy("petrichor.entities..")
                .layer("placement")
                .definedBy("petrichor.placement..")
                .layer("tables")
                .definedBy("petrichor.tables..")
                .layer("tuples")
                .definedBy("petrichor.tuples..")
                .layer("sql")
                .definedBy("petrichor.sql..")
                .layer("analytics")
                .definedBy("petrichor.analytics..")
                .layer("services")
                .definedBy("petrichor.services..")
                .layer("apps")
                .definedBy("petrichor.apps..")
                .layer("deployment")
                .definedBy("petrichor.deployment..")
                .layer("client")
                .definedBy("petrichor.client..")
                .layer("movement")
                .definedBy("petrichor.movement..")
                .layer("rpc")
                .definedBy("petrichor.rpc..")
                .layer("frontends")
                .definedBy("petrichor.frontends..")
                .layer("coordination")
                .definedBy("petrichor.coordination..")
                .layer("cluster")
                .definedBy("petrichor.cluster..")
                .layer("cloud")
                .definedBy("petrichor.cloud..")
                .layer("jobs")
                .definedBy("petrichor.jobs..")
                .layer("server")
                .definedBy("petrichor.server..")
                .layer("bench")
                .definedBy("petrichor.bench..")
                .layer("processes")
                .definedBy("petrichor.testing.process..")
                .layer("testing")
                .definedBy(
                        resideInAPackage("petrichor.testing..")
                                .and(resideOutsideOfPackage("petrichor.testing.process..")))
                .layer("cli")
                .definedBy("petrichor.cli..")
                .layer("tools")
                .definedBy("petrichor.tools..")
                .whereLayer("tools")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("cli")
                .mayOnlyBeAccessedByLayers("tools")
                .whereLayer("testing")
                .mayOnlyBeAccessedByLayers("tools")
                .whereLayer("processes")
                .mayOnlyBeAccessedByLayers("bench", "testing")
                .whereLayer("bench")
                .mayOnlyBeAccessedByLayers("tools")
                .whereLayer("server")
                .mayOnlyBeAccessedByLayers("cli", "bench", "testing")
                .whereLayer("frontends")
                .mayOnlyBeAccessedByLayers("server", "cli", "bench", "testing")
                .whereLayer("placement")
                .mayOnlyBeAccessedByLayers(
                        "entities", "tuples", "frontends", "server", "cli", "bench", "testing")
                .whereLayer("tuples")
                .mayOnlyBeAccessedByLayers("frontends", "server", "bench", "testing")
                .whereLayer("services")
                .mayOnlyBeAccessedByLayers("frontends", "server", "cli", "bench")
                .whereLayer("apps")
                .mayOnlyBeAccessedByLayers("frontends", "server", "cli", "bench")
                .whereLayer("rpc")
                .mayOnlyBeAccessedByLayers("movement", "frontends", "cluster", "server", "cli")
                .whereLayer("cluster")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("coordination")
                .mayOnlyBeAccessedByLayers("cluster", "server")
                .whereLayer("jobs")
                .mayOnlyBeAccessedByLayers("server", "bench", "cli", "testing")
                .whereLayer("cloud")
                .mayOnlyBeAccessedByLayers("jobs", "server", "bench", "cli", "testing")
                .whereLayer("deployment")
                .mayOnlyBeAccessedByLayers(
                        "kv", "coordination", "server", "bench", "cli", "testing")
                .whereLayer("client")
                .mayOnlyBeAccessedByLayers(
                        "movement", "cli", "bench", "server", "jobs", "testing")
                .whereLayer("movement")
                .mayOnlyBeAccessedByLayers("cli", "bench", "server", "jobs", "testing")
                .whereLayer("entities")
                .mayOnlyBeAccessedByLayers(
                        "sql",
                        "analytics",
                        "movement",
                        "services",
                        "frontends",
                        "server",
                        "cli",
                        "bench",
                        "testing")
                .whereLayer("tables")
                .mayOnlyBeAccessedByLayers(
                        "sql",
                        "analytics",
                        "movement",
                        "frontends",
                        "server",
                        "cli",
                        "bench",
                        "testing")
                .whereLayer("sql")
                .mayOnlyBeAccessedByLayers(
                        "analytics", "frontends", "server", "cli", "bench", "testing")
                .whereLayer("analytics")
                .mayOnlyBeAccessedByLayers("server", "bench", "testing")
                .whereLayer("transactions")
                .mayOnlyBeAccessedByLayers(
                        "entities",
                        "tables",
                        "tuples",
                        "sql",
                        "analytics",
                        "services",
                        "apps",
                        "movement",
                        "frontends",
                        "cluster",
                        "server",
                        "bench",
                        "testing")
                .whereLayer("kv")
                .mayOnlyBeAccessedByLayers(
                        "transactions",
                        "entities",
                        "tables",
                        "tuples",
                        "sql",
                        "analytics",
                        "services",
                        "apps",
                        "movement",
                        "coordination",
                        "cluster",
                        "server",
                        "bench",
                        "cli",
                        "testing");
    }
}
