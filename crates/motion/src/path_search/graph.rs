//! The layered graph, and dynamic programming on it.

/// A configuration of a layer.
pub(super) struct Node {
    pub(super) positions: Vec<f64>,
    /// Cost of the cheapest route to it; infinite if there is none.
    pub(super) cost: f64,
    /// Edges from the previous layer.
    pub(super) edges: Vec<Edge>,
}

/// A motion from a node of the previous layer.
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) cost: f64,
    /// True if the motion has been checked, and follows the path.
    pub(super) is_checked: bool,
}

/// A node of the graph.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) layer: usize,
    pub(super) node: usize,
}

/// Layers of nodes.
pub(super) struct Graph {
    layers: Vec<Vec<Node>>,
}

impl Node {
    /// The cheapest edge with the cost of the route through it.
    fn cheapest(&self, before: &[Self]) -> Option<(usize, f64)> {
        let routes = self.edges.iter().map(|edge| (edge.from, before[edge.from].cost + edge.cost));
        routes.filter(|(_, cost)| cost.is_finite()).min_by(|(_, one), (_, other)| one.total_cmp(other))
    }
}

impl Graph {
    /// A graph of one layer, whose nodes cost nothing.
    pub(super) fn new(starts: &[Vec<f64>]) -> Self {
        let nodes = starts.iter().map(|start| Node { positions: start.clone(), cost: 0.0, edges: Vec::new() });
        Self { layers: vec![nodes.collect()] }
    }

    /// The last layer.
    pub(super) fn last(&self) -> &[Node] {
        self.layers.last().map_or(&[], Vec::as_slice)
    }

    /// Adds a layer.
    pub(super) fn push(&mut self, layer: Vec<Node>) {
        self.layers.push(layer);
    }

    /// The configurations of a layer that routes reach.
    pub(super) fn reached(&self, layer: usize) -> Vec<&[f64]> {
        self.layers[layer].iter().filter(|node| node.cost.is_finite()).map(|node| &*node.positions).collect()
    }

    pub(super) fn positions(&self, place: Place) -> &[f64] {
        &self.layers[place.layer][place.node].positions
    }

    pub(super) fn edge(&mut self, from: Place, to: Place) -> Option<&mut Edge> {
        self.layers[to.layer][to.node].edges.iter_mut().find(|edge| edge.from == from.node)
    }

    /// Removes an edge, and updates the costs of the routes beyond it.
    pub(super) fn remove_edge(&mut self, from: Place, to: Place) {
        self.layers[to.layer][to.node].edges.retain(|edge| edge.from != from.node);
        for layer in to.layer..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(layer);
            let before = &before[layer - 1];
            for node in &mut rest[0] {
                node.cost = node.cheapest(before).map_or(f64::INFINITY, |(_, cost)| cost);
            }
        }
    }

    /// The nodes of the cheapest route to the last layer that a route reaches, one a layer.
    pub(super) fn cheapest_route(&self) -> Vec<usize> {
        let cheapest = |layer: &[Node]| {
            let reached = layer.iter().map(|node| node.cost).enumerate().filter(|(_, cost)| cost.is_finite());
            reached.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(node, _)| node)
        };
        let mut layers = self.layers.iter().enumerate().rev();
        let Some((last, end)) = layers.find_map(|(index, layer)| Some((index, cheapest(layer)?))) else {
            return Vec::new();
        };
        let mut route = vec![end];
        for layer in (1..=last).rev() {
            let node = &self.layers[layer][route[route.len() - 1]];
            let Some((from, _)) = node.cheapest(&self.layers[layer - 1]) else { break };
            route.push(from);
        }
        route.reverse();
        route
    }
}
